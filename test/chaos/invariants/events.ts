import { isDeepStrictEqual } from 'node:util'
import { chargeMachine, PAYMENT_EVENT_STATES } from '../../../src/domain/charges/charge.ts'
import { disputeMachine } from '../../../src/domain/disputes/dispute.ts'
import { refundMachine } from '../../../src/domain/refunds/refund.ts'
import { transferMachine } from '../../../src/domain/transfers/transfer.ts'
import { batchMachine } from '../../../src/domain/transfers/transfer-batch.ts'
import type { ApiResource, EventRow, FinalState, Violation } from '../final-state.ts'

/** SPEC §8: every state with an event was delivered to every endpoint of its account, as GET shows it. */
export function checkEvents(world: FinalState): Violation[] {
  const bySubject = Map.groupBy(world.events, event => `${event.type} ${event.subject}`)
  const eventsOf = (type: EventRow['type'], subject: string) =>
    (bySubject.get(`${type} ${subject}`) ?? []).toSorted((a, b) => a.sequence - b.sequence)
  return [
    ...world.charges.flatMap(({ uuid, state, history }) => {
      const statuses = history.filter(status => ANNOUNCED_CHARGE_STATUSES.has(status))
      const last = ANNOUNCED_CHARGE_STATUSES.has(chargeMachine.statusOf(state))
        ? chargeMachine.statusOf(state)
        : null
      const events = eventsOf('PAYMENT', uuid)
      return checkSubjectEvents(
        { what: `charge ${uuid}`, events, statuses, last },
        new Map([[uuid, withoutLaterFailedRefunds(world, uuid, events.at(-1))]]),
      )
    }),
    ...world.transfers.flatMap(({ uuid, state, history }) => {
      const statuses = history.filter(status => ANNOUNCED_TRANSFER_STATUSES.has(status))
      const last = transferMachine.isFinal(state) ? transferMachine.statusOf(state) : null
      return checkSubjectEvents(
        { what: `transfer ${uuid}`, events: eventsOf('TRANSFER', uuid), statuses, last },
        world.resources,
      )
    }),
    ...world.batches.flatMap(({ uuid, state }) => {
      const last = batchMachine.isFinal(state) ? batchMachine.statusOf(state) : null
      const events = eventsOf('BATCH', uuid)
      // Its transfers may change afterwards: returns, and those on their way when it was cancelled.
      const shown = { ...world.resources.get(uuid), counts: events.at(-1)?.data.counts }
      return checkSubjectEvents(
        { what: `batch ${uuid}`, events, statuses: last ? [last] : [], last },
        new Map([[uuid, world.resources.has(uuid) ? shown : undefined]]),
      )
    }),
    ...world.refunds.flatMap(({ uuid, state }) => {
      const last = refundMachine.isFinal(state) ? refundMachine.statusOf(state) : null
      const statuses = last ? [last] : []
      return checkSubjectEvents(
        { what: `refund ${uuid}`, events: eventsOf('REFUND', uuid), statuses, last },
        world.resources,
      )
    }),
    ...world.disputes.flatMap(({ uuid, state, history }) => {
      // A reply is no decision, so its analysis has no event.
      const statuses = history.filter(status => status !== disputeMachine.statusOf('analysing'))
      const last = disputeMachine.isFinal(state) ? disputeMachine.statusOf(state) : null
      return checkSubjectEvents(
        { what: `dispute ${uuid}`, events: eventsOf('MED', uuid), statuses, last },
        world.resources,
      )
    }),
    ...world.movements
      .filter(one => one.status === 'SETTLED' && one.type.startsWith('EXTERNAL'))
      .flatMap(({ uuid }) =>
        checkSubjectEvents(
          {
            what: `movement ${uuid}`,
            events: eventsOf('PIX_TRANSACTION', uuid),
            statuses: ['SETTLED'],
            last: 'SETTLED',
          },
          world.resources,
        ),
      ),
    ...checkDeliveries(world),
  ]
}

/** A charge as GET shows it, but for refunds that failed without a change of the charge: each has a REFUND event only. */
function withoutLaterFailedRefunds(
  { resources, refunds }: FinalState,
  uuid: string,
  latest: EventRow | undefined,
): ApiResource | undefined {
  const shown = resources.get(uuid)
  const announced = new Set<string>(latest?.data.refund_uuids)
  const failed = new Set(
    refunds.filter(({ charge, state }) => charge === uuid && state === 'failed').map(refund => refund.uuid),
  )
  const isExpected = (refund: string) => announced.has(refund) || !failed.has(refund)
  if (!shown?.refund_uuids) return shown
  return { ...shown, refund_uuids: shown.refund_uuids.filter(isExpected) }
}

const ANNOUNCED_CHARGE_STATUSES = new Set<string>(PAYMENT_EVENT_STATES.map(chargeMachine.statusOf))
const ANNOUNCED_TRANSFER_STATUSES = new Set<string>(
  transferMachine.states.filter(transferMachine.isFinal).map(state => transferMachine.statusOf(state)),
)

type SubjectEvents = {
  what: string
  events: EventRow[]
  /** Each of these has an event. */
  statuses: string[]
  /** Its current state, if that is final. */
  last: string | null
}

function checkSubjectEvents(
  { what, events, statuses, last }: SubjectEvents,
  shown: Map<string, ApiResource | undefined>,
): Violation[] {
  const sentStatuses = events.map(event => eventStatusOf(event))
  const never = [...new Set(statuses)].filter(status => !sentStatuses.includes(status))
  const numbers = events.map(event => event.sequence)
  const inOrder = numbers.every((number, place) => number === place + 1)
  const latest = events.at(-1)
  return [
    ...never.map(status => ({ rule: 'not_announced', where: what, detail: status })),
    ...(inOrder ? [] : [{ rule: 'event_out_of_order', where: what, detail: numbers.join(' ') }]),
    ...(latest && last && eventStatusOf(latest) !== last
      ? [{ rule: 'announced_otherwise', where: what, detail: `${eventStatusOf(latest)}, is ${last}` }]
      : []),
    ...(latest && last ? findResourceDifferences(what, latest, shown.get(latest.subject)) : []),
  ]
}

function eventStatusOf({ type, data }: EventRow): string {
  return type === 'REFUND' ? data.refund.status : data.status
}

/** The last event carries what GET answers, unless the resource has changed without an event. */
function findResourceDifferences(
  what: string,
  { type, data }: EventRow,
  shown: ApiResource | undefined,
): Violation[] {
  if (type === 'PIX_TRANSACTION') return []
  if (shown === undefined) return [{ rule: 'not_readable', where: what, detail: 'GET does not show it' }]
  const { sequence: _, late: __, ...resource } = data
  const hasGoneOn = !isDeepStrictEqual(data.history, shown.history)
  return hasGoneOn || isDeepStrictEqual(withoutVolatileFields(resource), withoutVolatileFields(shown))
    ? []
    : [{ rule: 'announced_differently', where: what, detail: describeDifference(resource, shown) }]
}

/** The time of the last change does not describe the resource, and each read creates its own links to proofs. */
function withoutVolatileFields(shown: ApiResource): ApiResource {
  const passing = new Set(['updated_at', 'url'])
  return JSON.parse(JSON.stringify(shown, (name, value) => (passing.has(name) ? undefined : value)))
}

function describeDifference(sent: ApiResource, shown: ApiResource): string {
  const names = [...new Set([...Object.keys(sent), ...Object.keys(shown)])].filter(
    name =>
      !isDeepStrictEqual(
        withoutVolatileFields(sent[name] ?? null),
        withoutVolatileFields(shown[name] ?? null),
      ),
  )
  return names
    .map(name => `${name}: ${JSON.stringify(sent[name])} / ${JSON.stringify(shown[name])}`)
    .join('; ')
}

/** Every event was sent to every endpoint of its account, arrived, and equals what arrived. */
function checkDeliveries({
  endpoints,
  events,
  deliveries,
  receivedDeliveries: received,
}: FinalState): Violation[] {
  const sent = new Set(deliveries.map(({ event, inbox }) => `${inbox} ${event}`))
  const forgotten = events.flatMap(event =>
    endpoints
      .filter(({ account, mode }) => account === event.account && mode === event.mode)
      .filter(({ isToldOfBatches }) => event.type !== 'BATCH' || isToldOfBatches)
      .filter(({ inbox }) => !sent.has(`${inbox} ${event.uuid}`))
      .map(({ inbox }) => ({ rule: 'not_sent', where: `event ${event.uuid}`, detail: `to ${inbox}` })),
  )
  const arrived = Map.groupBy(received, message => `${message.inbox} ${message.event}`)
  const known = new Map(events.map(event => [event.uuid, event]))
  const astray = deliveries.flatMap(({ uuid, event, inbox, status }) => {
    const came = arrived.get(`${inbox} ${event}`) ?? []
    const where = `delivery ${uuid} to ${inbox}`
    if (status !== 'DELIVERED') return [{ rule: 'not_delivered', where, detail: status }]
    if (came.length === 0) return [{ rule: 'never_arrived', where, detail: `event ${event}` }]
    return came.some(message => !isDeepStrictEqual(message.data, known.get(event)?.data))
      ? [{ rule: 'arrived_differently', where, detail: `event ${event}` }]
      : []
  })
  return [...forgotten, ...astray]
}
