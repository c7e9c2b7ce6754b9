import { afterAll, afterEach, beforeAll, jest } from '@jest/globals'
import type { SearchAttributePair } from '@temporalio/common'
import { chargeLife, type Life, sendingLife } from '../../src/engine/start.ts'
import * as ids from '../../src/workflows/ids.ts'
import type { AuthCodeOrder, PixKeyOrder } from '../../src/workflows/key-messages.ts'
import {
  type ChargeOrder,
  type MedOrder,
  type RefundOrder,
  ready,
  type TransferOrder,
} from '../../src/workflows/messages.ts'
import type { ReturnLife } from '../../src/workflows/return.ts'
import { type TimeSkipping, timeSkipping } from './time-skipping.ts'
import { type ActivityName, NOTICE, type Script, Story, type Telling } from './workflow-story.ts'
import * as doors from './workflow-story-doors.ts'

/** The activities of the main queue, which src/worker.ts registers by the same names. */
const MAIN: Record<Exclude<ActivityName, 'deliver'>, true> = {
  issueCharge: true,
  seekCharge: true,
  followCharge: true,
  cancelCharge: true,
  closeOrphan: true,
  takeDeposit: true,
  sendTransfer: true,
  askTransfer: true,
  seekTransfer: true,
  sendRefund: true,
  askRefund: true,
  seekRefund: true,
  sendReturn: true,
  askReturn: true,
  seekReturn: true,
  createKey: true,
  askKey: true,
  deleteKey: true,
  askKeyRemoval: true,
  sendAuthCode: true,
  openPixKey: true,
  giveUpKey: true,
  storeAuthCode: true,
  followMed: true,
  sendMedReply: true,
  medNow: true,
  takeMedReply: true,
  warnOfMed: true,
  passMedDeadline: true,
  sweepMeds: true,
  sweepWorkflows: true,
  chargeNow: true,
  restoreCharge: true,
  storeTransfer: true,
  transferNow: true,
  failTransfer: true,
  endWaiting: true,
  settleTransfer: true,
  settleRefund: true,
  settleReturn: true,
  keepUnmatched: true,
  openRefund: true,
  reopenRefund: true,
  refundNow: true,
  sweepNotices: true,
  sweepDeliveries: true,
  recoverDeliveries: true,
  pruneEvents: true,
  providerAccounts: true,
  reconcile: true,
  foldTallies: true,
}

/** The stage of one test file: its stories are told one after another, each about uuids of its own. */
export function stage() {
  let temporal: TimeSkipping
  let playing: Story | undefined
  let numbers = 0
  const uuid = () => `00000000-0000-4000-8000-${String(++numbers).padStart(12, '0')}`
  const act = (name: ActivityName) => async (input: unknown) => playing?.plays(name, input)
  jest.setTimeout(120_000)
  beforeAll(async () => {
    temporal = await timeSkipping({
      main: Object.fromEntries(Object.keys(MAIN).map(name => [name, act(name as ActivityName)])),
      webhooks: { deliver: act('deliver') },
    })
  })
  // A life that a failed test left behind must not act in the next one.
  afterEach(() => playing?.isBrokenOff())
  afterAll(() => temporal?.stop())

  function tell(telling: Telling): Story {
    playing = new Story(temporal, telling)
    return playing
  }

  async function begun(script: Script, { type, id, input }: Begun): Promise<Story> {
    const own = uuid()
    const story = tell({ script, type, workflowId: id(own), uuid: own, wokenWith: input(own) })
    await doors.begin(story.door, { type, input: input(own) })
    return story
  }

  async function woken(script: Script, { type, id, input, notice }: Woken): Promise<Story> {
    const own = uuid()
    const wokenWith = input && { wokenWith: input(own) }
    const story = tell({ script, type, workflowId: id(own), uuid: own, ...wokenWith })
    await story.isToldAgain(notice)
    return story
  }

  return {
    uuid,

    /** A charge that was ordered; the story goes on when it is issued or cannot be. */
    async charge(script: Script, wanted: Partial<ChargeOrder> = {}): Promise<Story> {
      const order = { ...orderOf(uuid()), ...wanted }
      const story = tell({ ...CHARGE, script, workflowId: ids.chargeId(order.uuid), uuid: order.uuid })
      await isOrdered(story, order)
      return story
    },
    /** Money that was ordered to go out; `isAnswered` waits as its request does. */
    async transfer(script: Script, wanted: Partial<TransferOrder> = {}): Promise<Story> {
      const { expiresInSeconds: _, ...order }: ChargeOrder & TransferOrder = {
        ...orderOf(uuid()),
        ...wanted,
      }
      const story = tell({ ...TRANSFER, script, workflowId: ids.transferId(order.uuid), uuid: order.uuid })
      await doors.begin(story.door, {
        ...TRANSFER,
        input: order,
        shown: shownBy(sendingLife(ids.transferId(order.uuid), order, seenOf(order))),
      })
      return story
    },
    /** One that is to be sent so much later, by the server's clock. */
    async scheduledTransfer(
      inMs: number,
      script: Script,
      wanted: Partial<TransferOrder> = {},
    ): Promise<Story> {
      const scheduledFor = new Date((await temporal.env.currentTimeMs()) + inMs).toISOString()
      return this.transfer(script, { scheduledFor, ...wanted })
    },
    async refund(script: Script, wanted: Partial<RefundOrder> = {}): Promise<Story> {
      const order = { ...refundOf(uuid()), ...wanted }
      const story = tell({ ...REFUND, script, workflowId: ids.refundId(order.uuid), uuid: order.uuid })
      await doors.begin(story.door, { ...REFUND, input: order })
      return story
    },

    /** A charge of which only the row is there. */
    lostCharge(script: Script): Story {
      const own = uuid()
      return tell({ ...CHARGE, script, workflowId: ids.chargeId(own), uuid: own })
    },
    /** Lives that ended long ago, woken by a notice. */
    wokenCharge: (script: Script) => woken(script, { ...CHARGE, id: ids.chargeId }),
    wokenTransfer: (script: Script, notice?: { tellsReturn: true }) =>
      woken(script, { ...TRANSFER, id: ids.transferId, notice }),
    wokenRefund: (script: Script) => woken(script, { ...REFUND, id: ids.refundId }),
    /** Rows that move and had lost their workflows (src/engine/reopen.ts). */
    reopenedTransfer: (script: Script) =>
      begun(script, { type: 'transferWorkflow', id: ids.transferId, input: unfinishedOf }),
    reopenedRefund: (script: Script) =>
      begun(script, { type: 'refundWorkflow', id: ids.refundId, input: unfinishedOf }),
    reopenedReturn: (script: Script) =>
      begun(script, {
        type: 'returnWorkflow',
        id: ids.returnId,
        input: uuid => ({ ...returnOf(uuid, 1), goesOn: 'in_doubt', restored: { orderedAt: LONG_AGO } }),
      }),
    wokenReturn: (script: Script) => woken(script, { ...RETURN, input: uuid => returnOf(uuid, 1) }),

    /** A dispute, begun by its provider's notice. */
    async med(script: Script, timeScale = 1): Promise<Story> {
      const input = medOf(uuid(), timeScale)
      const story = tell({
        script,
        type: 'medWorkflow',
        workflowId: ids.medId(input.uuid),
        uuid: input.uuid,
        wokenWith: input,
      })
      await story.isToldAgain()
      return story
    },
    /** One whose life runs no more; nothing wakes it yet. */
    lostMed(script: Script): Story {
      const input = medOf(uuid(), 1)
      return tell({
        script,
        type: 'medWorkflow',
        workflowId: ids.medId(input.uuid),
        uuid: input.uuid,
        wokenWith: input,
      })
    },

    orphan: (script: Script) =>
      begun(script, {
        type: 'orphanWorkflow',
        id: ids.orphanId,
        input: attemptUuid => ({ attemptUuid, timeScale: 1 }),
      }),
    return: (script: Script, timeScale = 1) =>
      begun(script, { ...RETURN, input: uuid => returnOf(uuid, timeScale) }),
    delivery: (script: Script, timeScale = 1) =>
      begun(script, {
        type: 'deliveryWorkflow',
        id: ids.deliveryId,
        input: deliveryUuid => ({ deliveryUuid, timeScale }),
      }),
    pixKey: (script: Script, timeScale = 1) =>
      begun(script, {
        type: 'pixKeyWorkflow',
        id: ids.pixKeyId,
        input: uuid => ({ ...keyOrderOf(uuid), timeScale }),
      }),
    pixKeyRemoval: (script: Script) =>
      begun(script, {
        type: 'pixKeyRemovalWorkflow',
        id: ids.pixKeyRemovalId,
        input: uuid => ({ uuid, timeScale: 1 }),
      }),
    authCode: (script: Script) =>
      begun(script, { type: 'authCodeWorkflow', id: ids.authCodeId, input: codeOrderOf }),
    keep: (script: Script) =>
      begun(script, { type: 'keepWorkflow', id: ids.keepId, input: uuid => ({ uuid }) }),
    medSweep: (script: Script) =>
      begun(script, { type: 'medSweepWorkflow', id: () => 'med-sweep', input: () => undefined }),
    workflowSweep: (script: Script) =>
      begun(script, { type: 'workflowSweepWorkflow', id: () => 'workflow-sweep', input: () => undefined }),
    sweep: (script: Script) =>
      begun(script, { type: 'noticeSweepWorkflow', id: () => 'notice-sweep', input: () => undefined }),
    tally: (script: Script) =>
      begun(script, { type: 'tallyWorkflow', id: () => 'tally', input: () => undefined }),

    deliverySweep: (script: Script) =>
      begun(script, { type: 'deliverySweepWorkflow', id: () => 'delivery-sweep', input: () => undefined }),
    pruning: (script: Script) =>
      begun(script, { type: 'eventPruningWorkflow', id: () => 'event-pruning', input: () => undefined }),
    recovery: (script: Script) =>
      begun(script, {
        type: 'recoveryWorkflow',
        id: uuid => `recovery/${uuid}`,
        input: webhookUuid => ({
          webhookUuid,
          since: '2026-11-01T00:00:00.000Z',
          until: '2026-11-02T00:00:00.000Z',
        }),
      }),

    reconciliation: (script: Script, hours: number) =>
      begun(script, { type: 'reconciliationWorkflow', id: () => 'reconciliation', input: () => ({ hours }) }),

    /** Begun by its notice, as the inbox does it. */
    async deposit(script: Script): Promise<Story> {
      const deposit = {
        connectionUuid: uuid(),
        endToEnd: `E12345678202601011200${String(++numbers).padStart(11, '0')}`,
        requestId: 'request',
        timeScale: 1,
      }
      const story = tell({
        script,
        type: 'depositWorkflow',
        workflowId: ids.depositId(deposit.connectionUuid, deposit.endToEnd),
        uuid: deposit.connectionUuid,
        wokenWith: deposit,
      })
      await story.isToldAgain()
      return story
    },
  }
}

type Begun = { type: string; id: (uuid: string) => string; input: (uuid: string) => unknown }
/** Where there is no input of its own, it resumes from its row. */
type Woken = Omit<Begun, 'input'> &
  Partial<Pick<Begun, 'input'>> & { notice?: { tellsReturn: true } | undefined }
const CHARGE = { type: 'chargeWorkflow' }
const TRANSFER = { type: 'transferWorkflow' }
const REFUND = { type: 'refundWorkflow' }
const RETURN = { type: 'returnWorkflow', id: ids.returnId }

/** Resolves when a charge is issued or cannot be; ordered twice, it is joined. */
export async function isOrdered(story: Story, order: ChargeOrder): Promise<void> {
  const ask = { update: ready, updateId: order.uuid }
  await doors.beginAndAsk(
    story.door,
    { ...CHARGE, input: order, shown: shownBy(chargeLife(order, seenOf(order))) },
    ask,
  )
}

export function orderOf(uuid: string): ChargeOrder {
  return {
    uuid,
    accountUuid: 'account',
    candidates: ['connection-a', 'connection-b'],
    valueCents: 12_345,
    expiresInSeconds: 86_400,
    details: 'sealed',
    requestId: 'request',
    timeScale: 1,
  }
}

/** What its start shows an operator, by whom it is tried first. */
const seenOf = ({ candidates }: { candidates: string[] }) => ({ provider: candidates[0]! })
const shownBy = ({ typedSearchAttributes }: Life) => typedSearchAttributes as SearchAttributePair[]

const keyOrderOf = (uuid: string): PixKeyOrder => ({
  uuid,
  accountUuid: 'account',
  connectionUuid: NOTICE.connectionUuid,
  type: 'EMAIL',
  authCodeUuid: 'code',
  details: 'sealed',
  requestId: 'request',
  timeScale: 1,
})

function codeOrderOf(uuid: string): AuthCodeOrder {
  const { connectionUuid: _, authCodeUuid: __, ...order } = keyOrderOf(uuid)
  return { ...order, type: 'EMAIL' }
}

function medOf(uuid: string, timeScale: number): MedOrder {
  return {
    uuid,
    connectionUuid: NOTICE.connectionUuid,
    providerMedId: 'infraction',
    endToEnd: null,
    requestId: 'request',
    timeScale,
  }
}

function returnOf(uuid: string, timeScale: number): ReturnLife {
  return { uuid, connectionUuid: NOTICE.connectionUuid, timeScale }
}

function refundOf(uuid: string): RefundOrder {
  const { candidates: _, expiresInSeconds: __, details: ___, ...order } = orderOf(uuid)
  return { ...order, chargeUuid: 'charge', connectionUuid: NOTICE.connectionUuid, fingerprint: 'fingerprint' }
}

const LONG_AGO = '2026-11-01T00:00:00.000Z'

function unfinishedOf(uuid: string) {
  const unfinished = { candidates: ['connection-a', 'connection-b'], orderedAt: LONG_AGO }
  return { resume: uuid, timeScale: 1, unfinished }
}
