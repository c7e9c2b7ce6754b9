import type { CodeDelivery, PixKeyState, PixKeyType, VerifiedKeyType } from '../../domain/pix-keys/pix-key.ts'
import type { OrderAuthor } from './orders.ts'

/** The order of a PIX key; the key itself travels sealed. */
export type PixKeyInput = OrderAuthor & {
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
}
/** `key` is null for RANDOM, which the provider generates. */
export type PixKeyInputDetails = { key: string | null; fingerprint: string }

export type PixKeyRemovalInput = { uuid: string; timeScale: number }

/** State of a key after a call to its provider or a poll. */
export type KeyOperationResult =
  | { kind: 'closed'; state: PixKeyState }
  /** The provider may have done it: only its list of keys can tell. */
  | { kind: 'unknown'; code: string }
  /** The provider's list does not have the key, which proves nothing before the settle window has passed. */
  | { kind: 'not_found'; settleWindowMs: number }
  /** No attempt was stored, so no request can have been sent. */
  | { kind: 'not_started' }
  /** Result of polling a removal: the provider still has the key, so it may be removed again. */
  | { kind: 'still_there' }

export type PollPixKeyInput = { uuid: string; pollCount: number }

/** The order of a code; the address travels sealed, and the code is made where it is stored. */
export type AuthCodeInput = {
  uuid: string
  accountUuid: string
  type: VerifiedKeyType
  /** Requested by a test token: the message is kept in the outbox, and never sent. */
  isSimulated: boolean
  /** `AuthCodeInputDetails`, sealed. */
  details: string
  requestId: string
  timeScale: number
}
export type AuthCodeInputDetails = { address: string; fingerprint: string }

export type CodeOutcome = Exclude<CodeDelivery, 'waiting'>
export type SendAuthCodeResult = { kind: 'closed'; outcome: CodeOutcome } | { kind: 'again'; code: string }
