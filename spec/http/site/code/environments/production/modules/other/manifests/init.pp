class other {
}
