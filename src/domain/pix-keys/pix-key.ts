import { createStateMachine } from '../shared/state-machine.ts'

/** Types of PIX keys by the API's names; the Central Bank's EVP is RANDOM here. */
export const PIX_KEY_TYPES = ['DOCUMENT', 'EMAIL', 'PHONE', 'RANDOM'] as const
export type PixKeyType = (typeof PIX_KEY_TYPES)[number]

/** Key types whose holder proves control of the address by a code. */
export const VERIFIED_KEY_TYPES = ['EMAIL', 'PHONE'] as const satisfies PixKeyType[]
export type VerifiedKeyType = (typeof VERIFIED_KEY_TYPES)[number]

/** Delivery of an auth code. `kept`: in the local outbox instead of being sent; `refused`: by the messenger. */
export type CodeDelivery = 'waiting' | 'sent' | 'kept' | 'refused' | 'expired'

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
/** SPEC §9: wrong guesses of one code; after them the right one is refused too. */
export const MAX_WRONG_CODE_ATTEMPTS = 5
/** SPEC §9: a code can be used for ten minutes. */
export const CODE_VALIDITY_MINUTES = 10
