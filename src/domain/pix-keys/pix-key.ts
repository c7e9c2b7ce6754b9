import { isDocument, normalizeDocument } from '../pix/document.ts'
import { isUuid } from '../pix/identifiers.ts'
import { createStateMachine } from '../shared/state-machine.ts'

/** Types of PIX keys by the API's names; the Central Bank's EVP is RANDOM here. */
export const PIX_KEY_TYPES = ['DOCUMENT', 'EMAIL', 'PHONE', 'RANDOM'] as const
export type PixKeyType = (typeof PIX_KEY_TYPES)[number]

/** Key types whose holder proves control of the address by a code. */
export const VERIFIED_KEY_TYPES = ['EMAIL', 'PHONE'] as const satisfies PixKeyType[]
export type VerifiedKeyType = (typeof VERIFIED_KEY_TYPES)[number]

/** Delivery of a verification code. `kept`: in the local outbox instead of being sent; `refused`: by the messenger. */
export type CodeDelivery = 'waiting' | 'sent' | 'kept' | 'refused' | 'expired'

/** DICT API 2.12.1, Key: no key of any type is longer. */
export const MAX_KEY_LENGTH = 77

export type PixKeyState = 'creating' | 'active' | 'removing' | 'removed' | 'refused'
export type PixKeyEvent = 'created' | 'refused' | 'removal_requested' | 'kept' | 'removed'

/** State machine of a PIX key of an account (SPEC §9). Its status is the API's `is_active`. */
export const pixKeyMachine = createStateMachine<PixKeyState, 'true' | 'false', PixKeyEvent>({
  creating: { status: 'false', on: { created: 'active', refused: 'refused' } },
  active: { status: 'true', on: { removal_requested: 'removing' }, isFinal: true },
  removing: { status: 'false', on: { removed: 'removed', kept: 'active' } },
  removed: { status: 'false', on: {}, isFinal: true },
  refused: { status: 'false', on: {}, isFinal: true },
})

/** States in which the key exists, or may exist, at the provider. It counts towards the limit of its type and is unique. */
export const EXISTING_KEY_STATES: readonly PixKeyState[] = ['creating', 'active', 'removing']
/** States that lists show. A key that is being removed is shown until the provider confirms the removal. */
export const LISTED_KEY_STATES: readonly PixKeyState[] = ['active', 'removing']

/** api-document.txt, Limits: keys of one type per account. */
export const MAX_KEYS_PER_TYPE = 3
/** SPEC §9: wrong tries of one code; after them the right one is refused too. */
export const MAX_WRONG_CODE_ATTEMPTS = 5
/** SPEC §9: a code can be used for ten minutes. */
export const CODE_VALIDITY_MINUTES = 10

/**
 * Validates a PIX key: returns its type, or null where it is none. Strict, so that no look-up is wasted on a key that cannot
 * exist (DICT answers few of them per payer); callers normalise first. A phone must carry `+55`, which keeps an 11-digit
 * CPF from being one.
 */
export function detectPixKeyType(key: string): PixKeyType | null {
  if (key.length > MAX_KEY_LENGTH) return null
  if (isDocument(key)) return 'DOCUMENT'
  if (MOBILE_PATTERN.test(key)) return 'PHONE'
  if (EMAIL_PATTERN.test(key)) return 'EMAIL'
  if (isUuid(key)) return 'RANDOM'
  return null
}

/**
 * Normalises a PIX key to the form that DICT stores: e-mail and EVP in lower case, documents in upper case. A text that is
 * no key in either case is returned as it is. Only `A-Z` is lowered, since Unicode would make a `k` of the kelvin sign.
 */
export function normalizePixKey(key: string): string {
  const lowered = key.replace(/[A-Z]/g, letter => letter.toLowerCase())
  if (detectPixKeyType(lowered) !== null) return lowered
  const raised = normalizeDocument(key)
  return isDocument(raised) ? raised : key
}

/** A Brazilian mobile: DICT takes any E.164 number, the manual only mobiles; no area code has a zero. */
const MOBILE_PATTERN = /^\+55[1-9][1-9]9\d{8}$/

/** DICT API 2.12.1, Key, as written there: lower case, without `&` and `%`. */
const EMAIL_PATTERN =
  /^[a-z0-9.!#$'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
