import type { PixKeyType, VerifiedKeyType } from '../../domain/pix-keys/pix-key.ts'

/** Inputs of the workflows of PIX keys and of their verification codes. */

/** The order of a PIX key; the key itself travels sealed. */
export type PixKeyInput = {
  uuid: string
  accountUuid: string
  connectionUuid: string
  type: PixKeyType
  /** The code that proved the address, of an e-mail or phone. */
  authCodeUuid?: string
  /** `PixKeyInputDetails`, sealed. */
  details: string
  requestId: string
  timeScale: number
  /** The database was restored since: the provider is polled for the key and creates none. `ended`: the earlier result. */
  restored?: { ended: string | null }
}
/** `key` is null for RANDOM, which the provider makes. */
export type PixKeyInputDetails = { key: string | null; fingerprint: string }

export type PixKeyRemovalInput = { uuid: string; timeScale: number }

/** The order of a code; the address travels sealed, and the code is made where it is stored. */
export type VerificationCodeInput = {
  uuid: string
  accountUuid: string
  type: VerifiedKeyType
  /** `VerificationCodeInputDetails`, sealed. */
  details: string
  requestId: string
  timeScale: number
}
export type VerificationCodeInputDetails = { address: string; fingerprint: string }
