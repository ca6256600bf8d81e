//! System calls that Ruby without rights may not make, and that Landlock says nothing of: rights, owners, times and extended attributes of
//! files, whoever's they are that the user may change; sockets on the disk (Docker's, systemd's, D-Bus'), which no namespace keeps away; keys
//! of the kernel; what changes other processes of the user; typing into a terminal. A program that such Ruby starts may not either.
//!
//! All that is named here fails with "operation not permitted", and Ruby goes on. Source: the manual pages of the calls, in section 2.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use std::collections::BTreeMap;

/// Those that are refused whatever they are given.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // Landlock refuses that from Linux 6.2 on.
    libc::SYS_truncate,
    // What a ring is asked for passes no filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_inotify_add_watch,
    libc::SYS_fanotify_mark,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_open_by_handle_at,
];

/// Those that libc has no name for, by the numbers that they have for all processors: `fchmodat2`, `setxattrat`, `removexattrat`,
/// `file_setattr`.
const LATER: [libc::c_long; 4] = [452, 463, 466, 469];

/// Those of older processors alone.
#[cfg(target_arch = "x86_64")]
const OLDER: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[libc::c_long] = &[];

/// What `ioctl` is not asked for: to type into a terminal, in two ways, and to set flags of files, in two ways.
const REQUESTS: [u64; 4] = [0x5412, 0x541c, 0x4008_6602, 0x401c_5820];

/// Refuses those calls to this thread, and to all processes that it starts.
///
/// # Errors
/// When the kernel has no such filters, or none are known for the processor.
pub(super) fn refuse() -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("calls can't be refused to it: {error}");
    let program: BpfProgram = filter().and_then(TryInto::try_into).map_err(|error| failed(&error))?;
    seccompiler::apply_filter(&program).map_err(|error| failed(&error))
}

fn filter() -> Result<SeccompFilter, seccompiler::BackendError> {
    let if_all = |conditions: &[(u8, SeccompCmpOp, u64)]| {
        let one = |(number, operator, value): &(u8, SeccompCmpOp, u64)| {
            SeccompCondition::new(*number, SeccompCmpArgLen::Dword, operator.clone(), *value)
        };
        SeccompRule::new(conditions.iter().map(one).collect::<Result<_, _>>()?)
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().chain(&LATER).chain(OLDER).map(|call| (*call, Vec::new())).collect();
    let requests = REQUESTS.iter().map(|request| if_all(&[(1, SeccompCmpOp::Eq, *request)]));
    rules.insert(libc::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    // Of the Internet's, which its namespace leads nowhere.
    let other = [libc::AF_INET, libc::AF_INET6].map(|family| (0, SeccompCmpOp::Ne, family as u64));
    rules.insert(libc::SYS_socket, vec![if_all(&other)?]);
    // Limits of other processes than the one that asks.
    rules.insert(libc::SYS_prlimit64, vec![if_all(&[(0, SeccompCmpOp::Ne, 0)])?]);
    // Kernels that know them take the same calls for programs with short pointers, under numbers of their own.
    #[cfg(target_arch = "x86_64")]
    {
        const SHORT_POINTERS: i64 = 0x4000_0000;
        let twice: Vec<_> =
            rules.iter().map(|(call, rules)| (call | SHORT_POINTERS, rules.clone())).collect();
        rules.extend(twice);
    }
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, refused, std::env::consts::ARCH.try_into()?)
}
