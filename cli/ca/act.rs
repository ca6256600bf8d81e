//! Signing, revoking, removing.

use super::{OTHER_STATE, Which, fail, say};
use bunraku_authority::statuses::State;
use bunraku_authority::{Authority, Fault, times};
use clap::Args;

/// Sign requests that wait.
#[derive(Args)]
pub struct Sign {
    /// Names of the nodes whose requests are signed.
    #[arg(
        long,
        value_name = "NAME[,NAME]",
        value_delimiter = ',',
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    certname: Vec<String>,
    /// Sign all of them.
    #[arg(long)]
    all: bool,
    /// For how long the certificates are good: a number, and y, d, h, m or s behind it [default: the setting ca_ttl].
    #[arg(long, value_name = "TTL", value_parser = times::to_live)]
    ttl: Option<u64>,
    #[command(flatten)]
    which: Which,
}

/// Revoke certificates; they stay listed.
#[derive(Args)]
pub struct Revoke {
    /// Names of the nodes.
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required = true)]
    certname: Vec<String>,
    #[command(flatten)]
    which: Which,
}

/// Revoke certificates and remove them and requests, so that the nodes may ask anew.
#[derive(Args)]
pub struct Clean {
    /// Names of the nodes.
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required = true)]
    certname: Vec<String>,
    #[command(flatten)]
    which: Which,
}

/// Sign the revocation list anew, before it is out of date: whoever is on it stays on it, and it is good for five years again.
///
/// `bunraku server --ca` does so by itself.
#[derive(Args)]
pub struct RenewList {
    #[command(flatten)]
    which: Which,
}

/// What became of one name; the worst of all says the status.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Became {
    Done,
    OtherState,
    Missing,
    Failed,
}

impl Became {
    fn status(self) -> u8 {
        match self {
            Became::Done => 0,
            Became::OtherState => OTHER_STATE,
            Became::Missing | Became::Failed => 1,
        }
    }
}

fn each(names: &[String], mut one: impl FnMut(&str) -> Result<Became, String>) -> Result<u8, String> {
    let mut worst = Became::Done;
    for name in names {
        worst = worst.max(one(name)?);
    }
    Ok(worst.status())
}

/// Tells why something could not be done with a name.
fn failed(to_do: &str, name: &str, fault: &Fault) -> Became {
    fail(&format!("When attempting to {to_do} '{name}':\n  {fault}"));
    Became::Failed
}

pub fn sign(arguments: &Sign) -> Result<u8, String> {
    let authority = arguments.which.open()?;
    let mut names = arguments.certname.clone();
    if arguments.all {
        let waiting = authority.statuses(&[State::Requested]).map_err(|fault| fault.to_string())?;
        names = waiting.into_iter().map(|status| status.name).collect();
        if names.is_empty() {
            fail("No waiting certificate requests to sign");
            return Ok(OTHER_STATE);
        }
    }
    each(&names, |name| match authority.sign(name, arguments.ttl) {
        Ok(_) => {
            say(&format!("Successfully signed certificate request for {name}"))?;
            Ok(Became::Done)
        }
        Err(Fault::Missing(_)) => {
            fail(&format!("Could not find certificate request for {name}"));
            Ok(Became::Missing)
        }
        Err(fault) => Ok(failed("sign certificate request", name, &fault)),
    })
}

pub fn revoke(arguments: &Revoke) -> Result<u8, String> {
    let authority = arguments.which.open()?;
    each(&arguments.certname, |name| {
        let became = revoke_one(&authority, name)?;
        match became {
            Became::OtherState => fail(&format!("Could not revoke unsigned csr for {name}")),
            Became::Missing => fail(&format!("Could not find certificate for {name}")),
            Became::Done | Became::Failed => {}
        }
        Ok(became)
    })
}

fn revoke_one(authority: &Authority, name: &str) -> Result<Became, String> {
    match authority.revoke(&[name]) {
        Ok(()) => {
            say(&format!("Certificate for {name} has been revoked"))?;
            Ok(Became::Done)
        }
        Err(Fault::Missing(_)) if authority.has_request(name) => Ok(Became::OtherState),
        Err(Fault::Missing(_)) => Ok(Became::Missing),
        Err(fault) => Ok(failed("revoke certificate", name, &fault)),
    }
}

pub fn clean(arguments: &Clean) -> Result<u8, String> {
    let authority = arguments.which.open()?;
    each(&arguments.certname, |name| {
        let revoked = revoke_one(&authority, name)?;
        if revoked == Became::Failed {
            return Ok(revoked);
        }
        let removed = authority.remove_certificate(name).and_then(|certificate| {
            let request = authority.remove_request(name)?;
            Ok(certificate || request)
        });
        match removed {
            Ok(true) => {
                say(&format!("Cleaned files related to {name}"))?;
                Ok(if revoked == Became::OtherState { revoked } else { Became::Done })
            }
            Ok(false) => {
                fail(&format!("Could not find files to clean for {name}"));
                Ok(Became::Missing)
            }
            Err(fault) => Ok(failed("clean", name, &fault)),
        }
    })
}

pub fn renew_list(arguments: &RenewList) -> Result<u8, String> {
    let authority = arguments.which.open()?;
    authority
        .renew_list()
        .map_err(|fault| format!("When attempting to renew the revocation list:\n  {fault}"))?;
    say("Renewed the revocation list")?;
    Ok(0)
}
