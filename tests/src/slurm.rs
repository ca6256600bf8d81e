//! Slurm for one test: Debian's package `slurm-wlm`, a controller and one node, on ports and with a folder of its own.

use crate::programs::{free_port, ok, retry};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A running Slurm; it ends with this value.
pub struct Slurm {
    folder: TempDir,
    children: Vec<Child>,
}

impl Slurm {
    /// Starts one; none, with the reason, where it is not installed or this user can't run it.
    ///
    /// # Errors
    /// When what is installed does not start.
    pub fn start() -> Result<Result<Slurm, String>, String> {
        let is_there = ["slurmctld", "slurmd", "sbatch"].iter().all(|program| {
            Command::new(program).arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
        });
        if !is_there {
            return Ok(Err("Slurm is not installed (Debian: slurm-wlm)".to_owned()));
        }
        let id = Command::new("id").arg("-u").output().map_err(|error| error.to_string())?;
        if id.stdout != b"0\n" {
            return Ok(Err("Slurm's node is run by root".to_owned()));
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut slurm = Slurm { folder, children: Vec::new() };
        for name in ["state", "spool"] {
            fs::create_dir(slurm.file(name)).map_err(|error| error.to_string())?;
        }
        fs::write(slurm.file("slurm.conf"), slurm.configuration()?).map_err(|error| error.to_string())?;
        for program in ["slurmctld", "slurmd"] {
            let log =
                fs::File::create(slurm.file(&format!("{program}.out"))).map_err(|error| error.to_string())?;
            let mut command = Command::new(program);
            command.arg("-D").env("SLURM_CONF", slurm.file("slurm.conf"));
            let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
            slurm.children.push(child.map_err(|error| format!("{program}: {error}"))?);
        }
        let is_idle = || {
            let mut sinfo = Command::new("sinfo");
            sinfo.args(["-h", "-o", "%T"]).env("SLURM_CONF", slurm.file("slurm.conf"));
            let output = sinfo.output().map_err(|error| error.to_string())?;
            match String::from_utf8_lossy(&output.stdout).trim() {
                "idle" => Ok(()),
                other => Err(format!("the node is {other}")),
            }
        };
        retry(Duration::from_secs(60), is_idle)?;
        Ok(Ok(slurm))
    }

    fn configuration(&self) -> Result<String, String> {
        let host = Command::new("hostname").arg("-s").output().map_err(|error| error.to_string())?;
        let host = String::from_utf8_lossy(&host.stdout).trim().to_owned();
        let folder = self.folder.path().display();
        Ok(format!(
            "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nAuthType=auth/none\nCredType=cred/none\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSlurmctldPort={}\nSlurmdPort={}\n\
             StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\nSlurmctldPidFile={folder}/ctld.pid\n\
             SlurmdPidFile={folder}/d.pid\nSlurmctldLogFile={folder}/ctld.log\nSlurmdLogFile={folder}/d.log\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\n\
             NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\nPartitionName=all Nodes=ALL Default=YES State=UP\n",
            free_port()?,
            free_port()?,
        ))
    }

    /// A file of its folder: `slurm.conf`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        let mut cancel = Command::new("scancel");
        // What still runs is nobody's any more; a failed test says enough.
        let _ = ok(cancel.args(["--user", "root"]).env("SLURM_CONF", self.file("slurm.conf")));
        for child in self.children.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
