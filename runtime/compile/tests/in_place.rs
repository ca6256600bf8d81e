//! Arrays and hashes that templates change in place: whatever variable holds one of them, in whichever scope, holds what it
//! has become, also after many changes, and what holds none of them stays as it is.

mod answer;

use answer::answer;
use bunraku_compile::job::Session;
use serde_json::json;

/// What code says, message by message; without any Ruby.
fn said(code: &str) -> Vec<String> {
    let got = answer(&Session::default(), &json!({"id": 1, "code": code, "ruby": "/no/ruby"}));
    assert_eq!(got["ok"], true, "{got}");
    let logs = got["logs"].as_array().into_iter().flatten();
    logs.map(|log| log["message"].as_str().unwrap_or_default().to_owned()).collect()
}

const CLASSES: &str = "
    $kept = ['kept']
    $top = [$kept, {'in' => $kept}]
    class holder { $mine = [1] $other = ['as it is'] $around = {'inner' => [$mine, $other]} }
    class second { $same = $holder::mine $text = 'text' if false { $never = 1 } }
    class changer {
      $mine = $holder::mine
      $first = inline_template('<% @mine << 2 %>')
    }
    class again {
      $now = $holder::mine
      $own = inline_template('<% @now << 3 %>')
    }
    define by($list) { $own = inline_template('<% @list << 4 %>') notice($list) }
    include holder, second, changer, again
";

#[test]
fn a_change_is_seen_by_all_variables_that_hold_what_was_changed() {
    let shown = "
        notice($holder::mine, $holder::around, $holder::other)
        notice($second::same, $changer::mine, $again::now, $top)
    ";
    let code = format!(
        "{CLASSES}{shown} by {{ 'x': list => $second::same }} class last {{ Class['again'] -> By['x'] {shown} }}"
    );
    let got = said(&code);
    assert_eq!(
        got[..2],
        [
            "[1, 2, 3] {inner => [[1, 2, 3], [as it is]]} [as it is]",
            "[1, 2, 3] [1, 2, 3] [1, 2, 3] [[kept], {in => [kept]}]"
        ]
    );
    assert_eq!(got[2..], ["[1, 2, 3, 4]"]);
}

#[test]
fn a_class_that_has_been_looked_through_may_get_to_hold_what_is_changed_next() {
    // Between two changes variables are set: in a class that goes on, at top, and in one that comes to be.
    let code = "
        $list = ['a']
        class goes_on {
          $before = inline_template('<% @list << \"b\" %>')
          $held = $list
          $in = {'k' => [$held]}
          include comes
          $after = inline_template('<% @held << \"d\" %>')
          notice($held, $in, $comes::held, $list)
        }
        class comes {
          $held = [$goes_on::held]
          $changed = inline_template('<% @list << \"c\" %>')
          $rest = $list
          notice($held, $rest, $list)
        }
        include goes_on
        $late = [$comes::rest, $comes::held]
        $more = inline_template('<% @late[0] << \"e\" %>')
        notice($late, $list, $goes_on::in, $comes::held, $comes::rest)
    ";
    assert_eq!(
        said(code),
        [
            "[[a, b, c]] [a, b, c] [a, b, c]",
            "[a, b, c, d] {k => [[a, b, c, d]]} [[a, b, c, d]] [a, b, c, d]",
            "[[a, b, c, d, e], [[a, b, c, d, e]]] [a, b, c, d, e] {k => [[a, b, c, d, e]]} [[a, b, c, d, e]] [a, b, c, d, e]",
        ]
    );
}

#[test]
fn what_was_looked_through_may_be_changed_itself() {
    // `$c::list` has been looked through when `$d::list` was changed, and is then changed itself; and that once more.
    let code = "
        class c { $list = [1] $holds = [$list] }
        class d { $list = ['x'] $done = inline_template('<% @list << \"y\" %>') }
        class e { $list = $c::list $done = inline_template('<% @list << 2 %>') }
        class f { $list = $d::list $done = inline_template('<% @list << \"z\" %>') }
        class g { $list = $e::list $done = inline_template('<% @list << 3 %>') }
        include c, d, e, f, g
        notice($c::list, $c::holds, $d::list, $e::list, $f::list, $g::list)
    ";
    assert_eq!(said(code), ["[1, 2, 3] [[1, 2, 3]] [x, y, z] [1, 2, 3] [x, y, z] [1, 2, 3]"]);
}
