/** Validity of a link that resets a password. */
export const PASSWORD_RESET_MINUTES = 30
