//! The file bucket answers as Puppet's, and lies on the disk as Puppet's does.

use crate::exchange::{Answer, Case, check, configuration, puppet};
use bunraku_server::bucket::Bucket;
use bunraku_tests::oracle::seven_and_eight;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Everything below a folder: modes, and what is in files.
fn below(folder: &Path, root: &Path, found: &mut BTreeMap<String, (u32, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("it can be read").path();
        let metadata = fs::metadata(&path).expect("it is there");
        let content = match metadata.is_dir() {
            true => String::new(),
            false => String::from_utf8_lossy(&fs::read(&path).expect("it can be read")).into_owned(),
        };
        let name = path.strip_prefix(root).expect("it is below").to_string_lossy().into_owned();
        found.insert(name, (metadata.mode() & 0o777, content));
        if metadata.is_dir() {
            below(&path, root, found);
        }
    }
}

#[test]
fn the_bucket_is_puppets() {
    let sum = |content: &str| -> String {
        Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let (one, other) = (sum("one"), sum(""));
    // What stands behind `&` belongs to the query.
    let key = |rest: &str| {
        let (path, query) =
            rest.split_once('&').map_or((rest, String::new()), |(path, query)| (path, format!("&{query}")));
        format!("/puppet/v3/file_bucket_file/{path}?environment=production{query}")
    };
    let get = |rest: &str| Case::get(key(rest)).binary();
    let head = |rest: &str| Case { method: "HEAD", ..get(rest) };
    let put = |rest: &str, body: &str| Case::put(key(rest), "application/octet-stream", body).binary();
    let cases = vec![
        get(&format!("sha256/{one}")),
        Case { url: key(&format!("sha256/{one}")) + "&list_all=true", ..get("") },
        head(&format!("sha256/{one}//etc/x")),
        put(&format!("sha256/{one}//etc/x"), "one"),
        head(&format!("sha256/{one}//etc/x")),
        head(&format!("sha256/{one}//etc/y")),
        head(&format!("sha256/{one}")),
        head(&format!("sha256/{one}/")),
        get(&format!("sha256/{one}//etc/x")),
        get(&format!("sha256/{one}//etc/y")),
        get(&format!("sha256/{one}")),
        put(&format!("sha256/{one}//etc/x"), "one"),
        put(&format!("sha256/{one}//etc/y%20z"), "one"),
        put(&format!("sha256/{one}"), "one"),
        get(&format!("sha256/{one}//etc/y%20z")),
        put(&format!("sha256/{other}/relative"), ""),
        get(&format!("sha256/{other}/relative")),
        get(&format!("sha256/{one}&diff_with={other}")),
        get(&format!("sha256/{other}&diff_with={one}")),
        get(&format!("sha256/{one}&diff_with={one}")),
        get(&format!("sha256/{one}//etc/nowhere&diff_with={other}")),
        get(&format!("sha256/{one}&diff_with={}", sum("never kept"))),
        Case { accept: Some("binary"), ..get(&format!("sha256/{one}&diff_with={other}")) },
        Case { accept: Some("application/json"), ..get(&format!("sha256/{one}&diff_with={other}")) },
        Case { accept: Some("binary"), ..get(&format!("sha256/{one}")) },
        get(&format!("md5/{one}")),
        get("md5/d41d8cd98f00b204e9800998ecf8427e"),
        get("sha256/abc"),
        get("sha256"),
        get(&format!("sha256/{}", one.to_uppercase())),
        get(""),
        Case { url: key(&format!("sha256/{one}")) + "&list_all=true", ..get("") },
        Case { accept: Some("application/json"), ..get(&format!("sha256/{one}")) },
        Case { accept: Some("application/json"), ..put(&format!("sha256/{one}"), "one") },
        Case { content_type: Some("text/plain"), ..put(&format!("sha256/{one}"), "one") },
        Case { content_type: None, ..put(&format!("sha256/{one}"), "one") },
        Case::get(format!("/puppet/v3/file_bucket_file/sha256/{one}")).binary(),
    ];
    for oracle in seven_and_eight("the file bucket") {
        let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
        for folder in &folders {
            fs::create_dir_all(folder.path().join("environments/production")).expect("folders can be made");
        }
        let buckets = folders.each_ref().map(|folder| folder.path().join("bucket").display().to_string());
        // Names in place of paths and times.
        let diff_args = ("diff_args", " -u --label=old  --label=new");
        let settings = [("bucketdir", &*buckets[0]), diff_args];
        let expected = puppet(oracle, folders[0].path(), &settings, &cases);
        let settings = [("bucketdir", &*buckets[1]), diff_args];
        let bucket = Bucket::new(&configuration(oracle, folders[1].path(), &settings)).expect("a bucket");
        let answer = |case: &Case| {
            let (request, _, rest) = case.request();
            let mut answer = Answer::of(match case.method {
                "PUT" => bucket.put(&request, &rest),
                "HEAD" => bucket.head(&request, &rest),
                _ => bucket.get(&request, &rest),
            });
            if case.method == "HEAD" && answer.status == 200 {
                assert!(answer.body.is_empty());
                answer.media_type.clear();
            }
            answer
        };
        check(oracle, &cases, &expected, &cases.iter().map(answer).collect::<Vec<_>>());
        let [theirs, ours] = buckets.each_ref().map(|bucket| {
            let mut found = BTreeMap::new();
            below(Path::new(bucket), Path::new(bucket), &mut found);
            found
        });
        assert_eq!(theirs, ours);
    }
}
