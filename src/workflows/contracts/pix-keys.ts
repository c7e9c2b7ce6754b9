import type { PixKeyType, VerifiedKeyType } from '../../domain/pix-keys/pix-key.ts'

/** What the lives of keys and of the codes that prove them are told. */

/** The order of a PIX key; the key itself travels sealed. */
export type PixKeyInput = {
  uuid: string
  accountUuid: string
  connectionUuid: string
  type: PixKeyType
  /** The code that proved the address, of an e-mail or phone. */
  authCodeUuid?: string
  /** PixKeyDetails, sealed. */
  details: string
  requestId: string
  timeScale: number
  /** Its database was restored since: its provider is asked for it, and makes none. `ended`: what it had come to. */
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
  /** AuthCodeDetails, sealed. */
  details: string
  requestId: string
  timeScale: number
}
export type VerificationCodeInputDetails = { address: string; fingerprint: string }
