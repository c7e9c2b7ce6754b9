import type { CodeOutcome } from './pix-keys.ts'

/** The request for a link that resets a password; the address travels sealed, and the link is made where it is stored. */
export type PasswordResetInput = {
  uuid: string
  /** `PasswordResetInputDetails`, sealed. */
  details: string
  timeScale: number
}
/** `pageUrl` is the address of the page, without the token of the link. */
export type PasswordResetInputDetails = { email: string; pageUrl: string; language: 'pt-BR' | 'en' }

/** `no_user`: the address is of no user who may sign in. */
export type PasswordResetOutcome = CodeOutcome | 'no_user'
export type SendPasswordResetResult =
  | { kind: 'closed'; outcome: PasswordResetOutcome }
  | { kind: 'again'; code: string }
