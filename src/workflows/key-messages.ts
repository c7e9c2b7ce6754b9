import type { PixKeyType, ProvedType } from '../domain/pix-key.ts'

/** What the lives of keys and of the codes that prove them are told. */

/** The order of a PIX key; the key itself travels sealed. */
export type PixKeyOrder = {
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
export type PixKeyDetails = { key: string | null; fingerprint: string }

export type PixKeyRemoval = { uuid: string; timeScale: number }

/** The order of a code; the address travels sealed, and the code is made where it is stored. */
export type AuthCodeOrder = {
  uuid: string
  accountUuid: string
  type: ProvedType
  /** AuthCodeDetails, sealed. */
  details: string
  requestId: string
  timeScale: number
}
export type AuthCodeDetails = { address: string; fingerprint: string }
