//! Snapshots there and back; those that are cut off, damaged or not to be trusted.

use super::*;
use bunraku::Facts;
use std::fs;

fn known(name: &str, size: usize) -> FleetNode {
    FleetNode {
        name: name.to_owned(),
        facts: Facts::from([("name", Data::from(name)), ("text", Data::from("x".repeat(size)))]),
        trusted: Some(Data::from([("certname", name)])),
        environment: Some("test \"one\"".to_owned()),
        timestamp: None,
    }
}

fn written(folder: &Path, all: &[FleetNode]) -> PathBuf {
    let path = folder.join("fleet.facts");
    write(&path, |add| all.iter().try_for_each(add)).unwrap();
    path
}

fn opened(path: &Path) -> Result<Snapshot, String> {
    Snapshot::open_if_one(path).map(|found| found.expect("it is a snapshot"))
}

fn fleet() -> Vec<FleetNode> {
    // Two of them fill a frame.
    (0..9).map(|number| known(&format!("n{number}.example.com"), 300 << 10)).collect()
}

#[test]
fn each_node_is_found_without_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let all = fleet();
    let path = written(folder.path(), &all);
    let snapshot = opened(&path).unwrap();
    assert_eq!(snapshot.frames.len(), 5);
    assert_eq!(snapshot.names(), all.iter().map(|one| one.name.clone()).collect::<Vec<_>>());
    for one in all.iter().rev() {
        let found = FleetNode::of(&one.name, snapshot.node(&one.name).unwrap());
        assert_eq!(line(&found), line(one));
    }
    let missing = snapshot.node("n5").unwrap_err();
    assert_eq!(missing, format!("Could not find facts for n5 in {}", path.display()));
    // What zstd makes of the whole file are the lines.
    let plain = zstd::stream::decode_all(&fs::read(&path).unwrap()[..]).unwrap();
    let lines: Vec<String> = all.iter().map(line).collect();
    assert_eq!(String::from_utf8(plain).unwrap(), lines.join("\n") + "\n");
}

#[test]
fn what_is_no_snapshot_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("facts.json");
    for text in ["", "{}", "P*M\u{18}"] {
        fs::write(&path, text).unwrap();
        assert!(Snapshot::open_if_one(&path).unwrap().is_none());
    }
    assert!(
        Snapshot::open_if_one(&folder.path().join("none")).is_err_and(|error| error.contains("No such file"))
    );
}

#[test]
fn nodes_out_of_order_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fleet.facts");
    fs::write(&path, "before").unwrap();
    let two = [known("b", 1), known("a", 1)];
    let error = write(&path, |add| two.iter().try_for_each(add)).unwrap_err();
    assert_eq!(error, format!("Could not write {}: a is not given in order", path.display()));
    assert_eq!(write(&path, |_| Err("no node".to_owned())).unwrap_err(), "no node");
    assert_eq!(fs::read(&path).unwrap(), b"before");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_snapshot_that_was_cut_off_says_so_wherever_that_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &[known("a", 10), known("b", 10)]);
    let whole = fs::read(&path).unwrap();
    for length in BEGIN as usize..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let error = opened(&path).err().unwrap();
        assert!(error.contains("they are cut off"), "{length}: {error}");
    }
}

#[test]
fn a_byte_that_was_changed_is_told_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let all = [known("a", 10), known("b", 10)];
    let path = written(folder.path(), &all);
    let whole = fs::read(&path).unwrap();
    let lines: Vec<String> = all.iter().map(line).collect();
    let (mut told, mut same) = (0, 0);
    for at in BEGIN as usize..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&path, &bytes).unwrap();
        let read = opened(&path).and_then(|snapshot| {
            let each =
                ["a", "b"].map(|name| snapshot.node(name).map(|node| line(&FleetNode::of(name, node))));
            each.into_iter().collect::<Result<Vec<_>, _>>()
        });
        match read {
            Err(error) => {
                assert!(
                    error.starts_with(&format!("Could not use the facts of {}: ", path.display())),
                    "{error}"
                );
                told += 1;
            }
            Ok(read) => {
                assert_eq!(read, lines, "byte {at}");
                same += 1;
            }
        }
    }
    // The head of the frame that zstd skips is not looked at here, nor are a few bits of zstd's own.
    assert!(told > same * 10, "{told} {same}");
}

#[test]
fn lengths_in_a_file_are_not_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fleet.facts");
    let with_index = |index: Json| {
        let mut bytes = Vec::new();
        let out: &mut dyn Write = &mut bytes;
        let mut writer =
            Writer { out, at: 0, lines: Vec::new(), count: 0, names: Vec::new(), frames: Vec::new() };
        writer.begin().unwrap();
        writer.put(&compressed(&vec![b'\n'; 100 << 20]).unwrap()).unwrap();
        let index = compressed(index.to_string().as_bytes()).unwrap();
        let (sum, length) = (Sha256::digest(&index), (index.len() as u64).to_le_bytes());
        writer.put_skipped(&[&index, &sum, &length, END]).unwrap();
        fs::write(&path, bytes).unwrap();
        opened(&path).and_then(|snapshot| snapshot.node("a").map(|_| ()))
    };
    let frame = |offset: u64, length: u64, plain: u64, count: usize| json!([[offset, length, plain, count]]);
    let of_one = |frames: Json| with_index(json!({ "names": ["a"], "frames": frames })).unwrap_err();
    for (frames, says) in [
        (frame(u64::MAX, 2, 1, 1), "the index is wrong"),
        (frame(0, 1 << 40, 1, 1), "the index is wrong"),
        (frame(0, 9, 1, 2), "the index is wrong"),
        (frame(0, 9, 1, usize::MAX), "the index is wrong"),
        (json!([]), "the index is wrong"),
        (json!("x"), "the index is wrong"),
        // 100 MB of lines that the index says are 10 bytes.
        (frame(BEGIN, 3000, 10, 1), "they are damaged: it holds more than 10 bytes"),
        (frame(BEGIN, 20, u64::MAX, 1), "they are damaged"),
    ] {
        let error = of_one(frames.clone());
        assert!(error.contains(says), "{frames}: {error}");
    }
    let unsorted = with_index(json!({ "names": ["b", "a"], "frames": frame(BEGIN, 20, 9, 2) })).unwrap_err();
    assert!(unsorted.ends_with("the index is wrong"), "{unsorted}");
}

#[test]
fn other_versions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &[known("a", 10)]);
    let mut bytes = fs::read(&path).unwrap();
    bytes[8 + NAME.len()] = b'2';
    fs::write(&path, bytes).unwrap();
    let error = opened(&path).err().unwrap();
    assert!(error.ends_with("they are in a form of version 2, and 1 is known"), "{error}");
}
