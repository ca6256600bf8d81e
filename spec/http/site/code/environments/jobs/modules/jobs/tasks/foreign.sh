echo foreign
