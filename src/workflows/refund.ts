import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import type { OpenedRefund } from '../activities/refund-records.ts'
import { refund as life, type RefundState } from '../domain/refund.ts'
import { providers, records, sending } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { askUntilKnown, Notices } from './asking.ts'
import { onwards } from './going-on.ts'
import { ATTRIBUTES } from './ids.ts'
import { answered, type OperatorsWord, type RefundOrder, type Resumed, type Unfinished } from './messages.ts'
import { findAndFollow } from './seeking.ts'
import { type Final, sendOnce } from './sending.ts'

/** A devolução: held, sent once through the provider that received the PIX, and asked about until that provider knows. */
export async function refundWorkflow(order: RefundOrder | Resumed): Promise<RefundState> {
  const { timeScale } = order
  let isAnswered = false
  let onward: RefundOrder | Resumed = order
  const notices = new Notices(timeScale, async () => {
    isAnswered = true
    await condition(allHandlersFinished)
    await continueAsNew<typeof refundWorkflow>(onward)
  })
  setHandler(answered, () => condition(() => isAnswered), {
    description: 'Waits until the refund is accepted or cannot be',
  })

  if ('resume' in order) {
    if (order.unfinished) return found(order.resume, order.unfinished)
    if (order.told) notices.heardBefore(order.told)
    return resumed(order.resume)
  }
  const { uuid, connectionUuid } = order
  if (order.goesOn) {
    isAnswered = true
    notices.hearOperatorStill()
  }
  const opened = await (order.restored ? reopened(order, notices) : records.openRefund(order))
  await startWhatIsLeft(opened, timeScale)
  if (life.isOver(opened.state)) return end(opened.state)
  if (!order.restored) onward = { ...order, goesOn: onwards(order) }
  const sent = order.restored
    ? await find(uuid, { ...order.restored, candidates: [connectionUuid] })
    : await sendOnce({
        ...follower(uuid, connectionUuid),
        send: again => sending.sendRefund({ uuid, connectionUuid, again }),
      })
  await startWhatIsLeft(sent, timeScale)
  if (sent.kind !== 'settled' && notices.waiting) {
    isAnswered = true
    return resumed(uuid)
  }
  return end(sent.kind === 'settled' ? 'settled' : 'failed')

  function follower(uuid: string, connectionUuid: string) {
    return {
      connectionUuid,
      ask: (asked: number, unlessFinal = false) =>
        notices.asked.askRefund({ uuid, connectionUuid, asked, unlessFinal }),
      settleBy: (word: OperatorsWord) => records.settleRefund({ uuid, connectionUuid, word }),
      pending(kind: 'in_process' | 'unknown') {
        isAnswered ||= kind === 'in_process'
        setCurrentDetails(
          kind === 'in_process' ? 'Accepted by the provider' : 'Not known: the provider is asked',
        )
      },
      notices,
    }
  }

  /** Asks whether it went, and follows it to its end. */
  function find(
    uuid: string,
    { candidates, orderedAt, ended }: Unfinished & { ended?: string },
  ): Promise<Final> {
    return findAndFollow({
      hadSettled: ended === 'settled',
      look: at => providers.seekRefund({ uuid, candidates, orderedAt, ...at }),
      follower: connectionUuid => follower(uuid, connectionUuid),
      notices,
    })
  }

  /** Its workflow was lost while it moved. */
  async function found(uuid: string, unfinished: Unfinished): Promise<RefundState> {
    isAnswered = true
    notices.hearOperatorStill()
    const last = await find(uuid, unfinished)
    await startWhatIsLeft(last, timeScale)
    return end(last.kind === 'settled' ? 'settled' : 'failed')
  }

  async function end(state: RefundState): Promise<RefundState> {
    isAnswered = true
    setCurrentDetails(
      state === 'settled' ? 'Returned to the payer' : 'Nothing was returned; the money is back',
    )
    upsertSearchAttributes([{ key: ATTRIBUTES.status, value: life.shows(state) }])
    await condition(allHandlersFinished)
    return state
  }

  /** A late word of the provider: a settlement after the failure. */
  async function resumed(uuid: string): Promise<RefundState> {
    await condition(() => notices.waiting)
    for (;;) {
      while (notices.waiting) {
        const { connectionUuid } = await records.refundNow(uuid)
        onward = { resume: uuid, timeScale, told: [connectionUuid] }
        const ask = (asked: number) => notices.asked.askRefund({ uuid, connectionUuid, asked })
        const told = await askUntilKnown(ask, notices)
        if ('deliveries' in told) await startWhatIsLeft(told, timeScale)
      }
      const { state } = await records.refundNow(uuid)
      // What came while this was read is heard as well: nobody would tell it again.
      if (!notices.waiting) return end(state)
    }
  }
}

/** Newer than its restored database: stored again as soon as its charge stands where it can be refunded. */
async function reopened(order: RefundOrder, notices: Notices): Promise<OpenedRefund> {
  setCurrentDetails('Waits until its charge is rebuilt')
  const known = await askUntilKnown(() => records.reopenRefund(order), notices)
  return known.opened
}
