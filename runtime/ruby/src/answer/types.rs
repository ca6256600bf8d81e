//! Answers about types: parsed, compared, inferred, instances made of them.

use super::QuestionArguments;
use crate::signatures::local_types;
use crate::types::type_parts;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::iterator;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> QuestionArguments<'c> {
    fn ty(self, n: usize) -> Eval<'c, &'c Type<'c>> {
        match self.value(n) {
            Value::Type(ty) => Ok(ty),
            _ => Err(Flow::raw("Ruby gives no type where one is needed")),
        }
    }
}

pub(super) fn parsed<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    let locals = local_types(vm, args.list(1))?;
    Ok(Value::Type(types::parse_with(vm, args.text(0), &locals)?))
}

pub(super) fn parts<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    Ok(type_parts(vm, args.ty(0)?))
}

pub(super) fn equal<'c>(args: QuestionArguments<'c>) -> Eval<'c> {
    Ok(Value::Bool(types::equal(args.ty(0)?, args.ty(1)?)))
}

pub(super) fn is_instance<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    Ok(Value::Bool(types::is_instance(vm, args.ty(0)?, args.value(1))))
}

pub(super) fn is_assignable<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    Ok(Value::Bool(types::is_assignable(vm.arena, args.ty(0)?, args.ty(1)?)))
}

pub(super) fn generalized<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    Ok(Value::Type(types::generalize(vm.arena, args.ty(0)?)))
}

pub(super) fn inferred<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
    Value::Type(match args.value(1).truthy() {
        true => types::infer_set(vm, args.value(0)),
        false => types::infer(vm, args.value(0)),
    })
}

pub(super) fn mismatch<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    let text = types::mismatch::describe_mismatch(vm.arena, &args.as_text(0), args.ty(1)?, args.ty(2)?);
    Ok(vm.string(&text))
}

pub(super) fn assert<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    types::mismatch::assert_instance(vm, args.as_text(0), args.ty(1)?, args.value(2))?;
    Ok(Value::Undef)
}

pub(super) fn elements<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
    match iterator::cursor(vm.arena, args.value(0)) {
        Some(cursor) => {
            let all = cursor.collect(vm.arena);
            vm.array(&all)
        }
        None => Value::Undef,
    }
}

pub(super) fn made<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    let mut list = vec![Value::Type(types::by_name(vm, args.text(0))?)];
    list.extend(args.list(1));
    let top = vm.top;
    vm.call_function("new", &list, None, top)
}

pub(super) fn made_from_hash<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    types::new::from_hash(vm, args.ty(0)?, args.value(1))
}
