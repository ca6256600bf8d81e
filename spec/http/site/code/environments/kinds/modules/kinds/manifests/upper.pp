class Kinds::Upper { }
