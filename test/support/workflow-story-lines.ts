import type { CodeFate } from '../../src/activities/auth-codes.ts'
import type { Issued } from '../../src/activities/issuing.ts'
import type { LeftToDo } from '../../src/activities/left-to-do.ts'
import type { MedNow } from '../../src/activities/meds.ts'
import type { TransferStanding } from '../../src/activities/outgoing.ts'
import type { ChargeState } from '../../src/domain/charge.ts'
import type { MedState } from '../../src/domain/med.ts'
import type { PixKeyState } from '../../src/domain/pix-key.ts'
import type { RefundState } from '../../src/domain/refund.ts'
import type { TransferState } from '../../src/domain/transfer.ts'
import type { Answer, Story } from './workflow-story.ts'

/** What the far side says in the stories, so that a script reads like one. */

const NOTHING_LEFT: LeftToDo = { deliveries: [], returns: [] }
const DAY_MS = 86_400_000

/** The attempt that an operator looked at. */
export const SEEN = { attempt: '00000000-0000-4000-8000-00000000a77e', sending: 1 } as const

/** The charge has a payload that expires a day from now, or after `expiresInMs`. */
export const issued =
  ({ expiresInMs = DAY_MS, ...more }: Partial<Issued> & { expiresInMs?: number } = {}) =>
  async (story: Story): Promise<Issued> => ({
    state: 'pending',
    connectionUuid: 'connection-a',
    expiresAt: new Date((await story.now()) + expiresInMs).toISOString(),
    orphans: [],
    ...NOTHING_LEFT,
    ...more,
  })

/** No candidate could issue it. */
export const issuedByNobody = (more: Partial<Issued> = {}): Issued => ({
  state: 'failed',
  connectionUuid: 'connection-a',
  expiresAt: null,
  orphans: [],
  ...NOTHING_LEFT,
  ...more,
})

/** The provider has answered, and the charge stands there now. */
export const known = (state: ChargeState, left: Partial<LeftToDo> = {}): Answer<'followCharge'> => ({
  kind: 'known',
  state,
  ...NOTHING_LEFT,
  ...left,
})

/** The provider has not answered. */
export const silent = (code = 'timeout') => ({ kind: 'no_answer' as const, state: 'pending' as const, code })

/** It has, and holds a payload open whose time is over. */
export const stillOpen = (left: Partial<LeftToDo> = {}): Answer<'followCharge'> => ({
  ...silent('still_open'),
  ...NOTHING_LEFT,
  ...left,
})

/** A PIX that is to go back to its payer. */
export const giveBack = (uuid: string) => ({ uuid, connectionUuid: 'connection-a' })

/** A notice comes while the far side is asked, about what it does not know yet. */
export const toldMeanwhile =
  <Said>(said: Said) =>
  async (story: Story): Promise<Said> => {
    await story.isTold()
    return said
  }

/** The far side breaks off before it has said anything. */
export const crash = (): never => {
  throw new Error('broken off')
}

/** What the row of a woken charge says: its payload's time was over long ago. */
export const now = (state: ChargeState): Answer<'chargeNow'> => ({
  state,
  expiresAt: '2020-01-01T00:00:00.000Z',
  cancelRequested: false,
})

/** The row of a woken charge that is still pending: its payload expires a day from now. */
export const nowPending =
  (more: Partial<Answer<'chargeNow'>> = {}) =>
  async (story: Story): Promise<Answer<'chargeNow'>> => ({
    state: 'pending',
    expiresAt: new Date((await story.now()) + DAY_MS).toISOString(),
    cancelRequested: false,
    ...more,
  })

/** An orphan, or a deposit, about which its provider does not answer. */
export const unanswered = (code = 'timeout') => ({ kind: 'no_answer' as const, code })
export const absent = (settleWindowMs = 600_000) => ({ kind: 'absent' as const, settleWindowMs })
export const closed = (left: Partial<LeftToDo> = {}): Answer<'closeOrphan'> => ({
  kind: 'closed',
  ...NOTHING_LEFT,
  ...left,
})

export const taken = (left: Partial<LeftToDo> = {}): Answer<'takeDeposit'> => ({
  kind: 'taken',
  ...NOTHING_LEFT,
  ...left,
})
export const unknownPix: Answer<'takeDeposit'> = { kind: 'absent' }

/** What became of money that was sent. */
export const settled = (
  left: Partial<LeftToDo & { transfer: TransferStanding }> = {},
): Answer<'sendReturn'> => ({ kind: 'settled', ...NOTHING_LEFT, ...left })
export const inProcess: Answer<'sendReturn'> = { kind: 'in_process' }
export const refused: Answer<'sendReturn'> = {
  kind: 'rejected',
  code: 'AC03',
  finality: 'final',
  ...NOTHING_LEFT,
}
/** A definite no whose cause is the provider's own. */
export const declined: Answer<'sendReturn'> = {
  kind: 'rejected',
  code: 'limit_exceeded',
  finality: 'other_may_help',
  ...NOTHING_LEFT,
}
export const noBalance: Answer<'sendReturn'> = { ...declined, code: 'insufficient_balance' }
export const unreachable: Answer<'sendReturn'> = { kind: 'unreachable', code: 'refused', ...NOTHING_LEFT }
export const unknown: Answer<'sendReturn'> = { kind: 'unknown', code: 'timeout' }
export const notThere = absent()
/** Asked after 5, 15, 45, 105 and 405 s, at the end of the settle window and a minute later: then its absence is proved. */
export const neverThere = Array(7).fill(notThere)

/** Where a transfer, or a refund, stands. */
export const stands = (state: TransferState, left: Partial<LeftToDo> = {}): Answer<'transferNow'> => ({
  state,
  connectionUuid: 'connection-a',
  ...NOTHING_LEFT,
  ...left,
})
/** An attempt is live there, which a worker began after Temporal had given it up. */
export const isLiveAt = (liveConnectionUuid: string): Answer<'failTransfer'> => ({
  ...stands('sending'),
  liveConnectionUuid,
})
export const opened = (state: RefundState, left: Partial<LeftToDo> = {}): Answer<'openRefund'> => ({
  state,
  ...NOTHING_LEFT,
  ...left,
})
export const refundIs = (state: RefundState): Answer<'refundNow'> => ({
  state,
  connectionUuid: 'connection-a',
})

/** What one try of a delivery comes to. */
export const delivered: Answer<'deliver'> = { kind: 'over', outcome: 'DELIVERED' }
export const again = (waitMs: number): Answer<'deliver'> => ({ kind: 'again', waitMs })

/** What becomes of a key. */
export const keyIs = (state: PixKeyState) => ({ kind: 'over' as const, state })
export const stillThere: Answer<'askKeyRemoval'> = { kind: 'still_there' }
export const keyUnknown: Answer<'askKey'> = { kind: 'unknown', code: 'timeout' }
export const neverBegun: Answer<'askKey'> = { kind: 'never_begun' }

/** What becomes of a code. */
export const carried = (fate: CodeFate): Answer<'sendAuthCode'> => ({ kind: 'over', fate })
export const notCarried: Answer<'sendAuthCode'> = { kind: 'again', code: 'smtp_451' }
/** Where a dispute stands; its deadline is `dueInMs` from now, by the server's clock. */
export type MedIs = Partial<MedNow> & { dueInMs?: number }
export const medIs =
  (state: MedState, { dueInMs = 20 * 3_600_000, ...more }: MedIs = {}) =>
  async (story: Story): Promise<MedNow> => ({
    state,
    accountUuid: 'account',
    connectionUuid: 'connection-a',
    endToEnd: 'E12345678202601011200abcdefghijk',
    valueCents: 12_345,
    dueAt: new Date((await story.now()) + dueInMs).toISOString(),
    answerable: state === 'open',
    warnedHours: 24,
    replyWanted: false,
    ...NOTHING_LEFT,
    ...more,
  })
export const medKnown =
  (state: MedState, more: MedIs = {}) =>
  async (story: Story): Promise<Answer<'followMed'>> => ({
    kind: 'known',
    ...(await medIs(state, more)(story)),
  })
export const replySent =
  (kind: 'over' | 'again', state: MedState, more: MedIs = {}) =>
  async (story: Story): Promise<Answer<'sendMedReply'>> => ({
    kind,
    ...(await medIs(state, { replyWanted: kind === 'again', ...more })(story)),
  })
export const unknownMed: Answer<'followMed'> = { kind: 'absent' }
export const foreignMed: Answer<'followMed'> = { kind: 'foreign' }
