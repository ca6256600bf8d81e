//! Blocks: what they are given goes to their parameters, and to those of assignments to several names.

use super::stop::BlockExit;
use super::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::methods;
use crate::tree::{AssignTarget, Block, BlockBody};
use crate::value::V;

impl<'c> Run<'_, 'c> {
    /// Runs a block with one value: an array is spread where the block has several parameters.
    pub(crate) fn yield_one(&mut self, block: &'c Block, value: V<'c>) -> Done<'c> {
        match block {
            Block::Method(method) => match value {
                V::Object(_) => self.send_known(value, method.name(), Vec::new()),
                value => methods::call(self, value, *method, &[], None),
            },
            Block::Body(body) => {
                self.give_one(body, value)?;
                self.run(body)
            }
            Block::Passed | Block::Given(_) => self.yield_passed(vec![value]),
        }
    }

    /// Runs a block with two values.
    pub(crate) fn yield_two(&mut self, block: &'c Block, first: V<'c>, second: V<'c>) -> Done<'c> {
        match block {
            Block::Method(method) => methods::call(self, first, *method, &[second], None),
            Block::Body(body) => {
                self.give_two(body, first, second)?;
                self.run(body)
            }
            Block::Passed | Block::Given(_) => self.yield_passed(vec![first, second]),
        }
    }

    /// Runs a block with more values than two.
    pub(crate) fn yield_many(&mut self, block: &'c Block, values: Vec<V<'c>>) -> Done<'c> {
        match block {
            Block::Method(_) => Err(ForRuby("a method as a block for several values").into()),
            Block::Body(body) => {
                self.give_all(body, values)?;
                self.run(body)
            }
            Block::Passed | Block::Given(_) => self.yield_passed(values),
        }
    }

    /// Runs a block with one value for its effects.
    pub(crate) fn each_one(&mut self, block: &'c Block, value: V<'c>) -> Done<'c, ()> {
        match block {
            Block::Method(_) | Block::Passed | Block::Given(_) => self.yield_one(block, value).map(drop),
            Block::Body(body) => {
                self.give_one(body, value)?;
                self.run_each(body)
            }
        }
    }

    /// The same with two values.
    pub(crate) fn each_two(&mut self, block: &'c Block, first: V<'c>, second: V<'c>) -> Done<'c, ()> {
        match block {
            Block::Method(_) | Block::Passed | Block::Given(_) => {
                self.yield_two(block, first, second).map(drop)
            }
            Block::Body(body) => {
                self.give_two(body, first, second)?;
                self.run_each(body)
            }
        }
    }

    /// The same with a key and its value, which make a pair where the block has one parameter.
    pub(crate) fn each_pair(&mut self, block: &'c Block, key: V<'c>, value: V<'c>) -> Done<'c, ()> {
        match block {
            Block::Body(body) if body.params.len() == 2 => self.each_two(block, key, value),
            _ => self.each_one(block, V::pair(key, value)),
        }
    }

    #[inline]
    fn give_one(&mut self, body: &'c BlockBody, value: V<'c>) -> Done<'c, ()> {
        // Most blocks have one parameter, the first of their own locals.
        if let ([AssignTarget::Local(slot)], false, None) = (&*body.params, body.spreads, &body.full) {
            self.enter_behind(body, *slot, 1);
            self.set_local(*slot, value);
            return Ok(());
        }
        self.give_one_in_parts(body, value)
    }

    #[inline(never)]
    fn give_one_in_parts(&mut self, body: &'c BlockBody, value: V<'c>) -> Done<'c, ()> {
        self.enter(body);
        if let Some(params) = &body.full {
            return self.bind_block(params, vec![value]);
        }
        Ok(self.give_plain(body, value)?)
    }

    /// Readies the locals of a block, but for so many parameters from a slot on, which are set anyway.
    #[inline]
    fn enter_behind(&mut self, body: &BlockBody, slot: u32, count: u32) {
        let from = if slot == body.own.0 { slot + count } else { body.own.0 };
        for slot in from..body.own.1 {
            self.set_local(slot, V::Nil);
        }
    }

    /// Gives as many values as there are to a block.
    pub(super) fn give_all(&mut self, body: &'c BlockBody, mut values: Vec<V<'c>>) -> Done<'c, ()> {
        if values.len() == 1
            && let Some(value) = values.pop()
        {
            return self.give_one(body, value);
        }
        self.enter(body);
        match &body.full {
            Some(params) => self.bind_block(params, values),
            None => Ok(self.assign_many(&body.params, values)?),
        }
    }

    fn give_plain(&mut self, body: &BlockBody, value: V<'c>) -> OrRuby<()> {
        match &*body.params {
            [] => Ok(()),
            [AssignTarget::Many(targets)] if !body.spreads => self.spread(targets, value),
            [rest @ AssignTarget::Rest(_)] if !body.spreads => {
                self.assign_many(std::slice::from_ref(rest), vec![value])
            }
            params => self.spread(params, value),
        }
    }

    #[inline]
    fn give_two(&mut self, body: &'c BlockBody, first: V<'c>, second: V<'c>) -> Done<'c, ()> {
        if let ([AssignTarget::Local(a), AssignTarget::Local(b)], None) = (&*body.params, &body.full)
            && *b == *a + 1
        {
            self.enter_behind(body, *a, 2);
            self.set_local(*a, first);
            self.set_local(*b, second);
            return Ok(());
        }
        self.give_all(body, vec![first, second])
    }

    pub(crate) fn enter(&mut self, body: &BlockBody) {
        for slot in body.own.0..body.own.1 {
            self.set_local(slot, V::Nil);
        }
    }

    pub(super) fn run(&mut self, body: &'c BlockBody) -> Done<'c> {
        self.used.spend(1)?;
        self.eval(&body.body).or_else(|stop| stop.land(BlockExit::Next))
    }

    fn run_each(&mut self, body: &'c BlockBody) -> Done<'c, ()> {
        self.used.spend(1)?;
        self.statement(&body.body).or_else(|stop| stop.land(BlockExit::Next).map(drop))
    }

    pub(crate) fn assign(&mut self, target: &AssignTarget, value: V<'c>) -> OrRuby<()> {
        match target {
            AssignTarget::Local(slot) => {
                self.set_local(*slot, value);
                Ok(())
            }
            AssignTarget::Rest(slot) => {
                if let Some(slot) = slot {
                    self.set_local(*slot, value);
                }
                Ok(())
            }
            AssignTarget::Many(targets) => self.spread(targets, value),
            AssignTarget::Variable(number) => self.set_variable(*number, value),
        }
    }

    /// Assigns an array's items to several targets, or another value to the first.
    fn spread(&mut self, targets: &[AssignTarget], value: V<'c>) -> OrRuby<()> {
        let values = match value.items()? {
            Some(items) => items,
            None => vec![value],
        };
        self.assign_many(targets, values)
    }

    pub(crate) fn assign_many(&mut self, targets: &[AssignTarget], values: Vec<V<'c>>) -> OrRuby<()> {
        let rest = targets.iter().position(|target| matches!(target, AssignTarget::Rest(_)));
        let behind = rest.map_or(0, |rest| targets.len() - rest - 1);
        let count = values.len();
        let mut values = values.into_iter();
        for (n, target) in targets.iter().enumerate() {
            let value = if Some(n) == rest {
                let taken = count.saturating_sub(n + behind);
                V::list(values.by_ref().take(taken).collect())
            } else {
                values.next().unwrap_or(V::Nil)
            };
            self.assign(target, value)?;
        }
        Ok(())
    }
}
