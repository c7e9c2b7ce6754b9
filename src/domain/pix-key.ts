import { isDocument, normalizedDocument } from './document.ts'
import { isUuid } from './identifiers.ts'
import { machine } from './machine.ts'

/** The contract's names; the Central Bank's EVP is RANDOM here. */
export const PIX_KEY_TYPES = ['DOCUMENT', 'EMAIL', 'PHONE', 'RANDOM'] as const
export type PixKeyType = (typeof PIX_KEY_TYPES)[number]

/** Key types whose holder proves control of the address by a code. */
export const PROVED_TYPES = ['EMAIL', 'PHONE'] as const satisfies PixKeyType[]
export type ProvedType = (typeof PROVED_TYPES)[number]

/** DICT API 2.12.1, Key: no key of any type is longer. */
export const LONGEST_KEY = 77

export type PixKeyState = 'creating' | 'active' | 'removing' | 'removed' | 'refused'
export type PixKeyEvent = 'created' | 'refused' | 'removal_asked' | 'kept' | 'removed'

/** SPEC §9: a key of the account, from the order to the day it is removed. What it shows is `is_active`. */
export const pixKey = machine<PixKeyState, 'true' | 'false', PixKeyEvent>({
  creating: { shows: 'false', on: { created: 'active', refused: 'refused' } },
  active: { shows: 'true', on: { removal_asked: 'removing' }, over: true },
  removing: { shows: 'false', on: { removed: 'removed', kept: 'active' } },
  removed: { shows: 'false', on: {}, over: true },
  refused: { shows: 'false', on: {}, over: true },
})

/** States in which the key exists, or may exist, at the provider. It counts towards the limit of its type and is unique. */
export const LIVE_KEY_STATES: readonly PixKeyState[] = ['creating', 'active', 'removing']
/** States that lists show. A key that is being removed is shown until the provider confirms the removal. */
export const SHOWN_KEY_STATES: readonly PixKeyState[] = ['active', 'removing']

/** api-document.txt, Limits: keys of one type per account. */
export const MOST_KEYS_OF_A_TYPE = 3
/** SPEC §9: wrong tries of one code; after them the right one is refused too. */
export const MOST_WRONG_TRIES = 5
/** SPEC §9: a code can be used for ten minutes. */
export const CODE_LIVES_MINUTES = 10

/**
 * Which type of key this is, or null where it is none. Strict, so that no look-up is wasted on what cannot exist
 * (DICT answers few of them per payer); callers normalise first. A phone must carry `+55`, which keeps an
 * 11-digit CPF from being one.
 */
export function pixKeyType(key: string): PixKeyType | null {
  if (key.length > LONGEST_KEY) return null
  if (isDocument(key)) return 'DOCUMENT'
  if (MOBILE.test(key)) return 'PHONE'
  if (EMAIL.test(key)) return 'EMAIL'
  if (isUuid(key)) return 'RANDOM'
  return null
}

/**
 * The key as DICT stores it: e-mail and EVP in lower case, documents in upper case. A text that is no key in
 * either case comes back as it was. Only `A-Z` is lowered, since Unicode would make a `k` of the kelvin sign.
 */
export function normalizedPixKey(key: string): string {
  const lowered = key.replace(/[A-Z]/g, letter => letter.toLowerCase())
  if (pixKeyType(lowered) !== null) return lowered
  const raised = normalizedDocument(key)
  return isDocument(raised) ? raised : key
}

/** A Brazilian mobile: DICT takes any E.164 number, the manual only mobiles; no area code has a zero. */
const MOBILE = /^\+55[1-9][1-9]9\d{8}$/

/** DICT API 2.12.1, Key, as written there: lower case, without `&` and `%`. */
const EMAIL =
  /^[a-z0-9.!#$'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
