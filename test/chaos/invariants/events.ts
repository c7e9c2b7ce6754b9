import { isDeepStrictEqual } from 'node:util'
import { ANNOUNCED, charge } from '../../../src/domain/charge.ts'
import { med } from '../../../src/domain/med.ts'
import { refund } from '../../../src/domain/refund.ts'
import { transfer } from '../../../src/domain/transfer.ts'
import type { Event, Shown, Violation, World } from '../world.ts'

/** SPEC §8: every state that is announced was heard by every endpoint of its account, as GET shows it. */
export function everythingIsTold(world: World): Violation[] {
  const bySubject = Map.groupBy(world.events, event => `${event.type} ${event.subject}`)
  const eventsOf = (type: Event['type'], subject: string) =>
    (bySubject.get(`${type} ${subject}`) ?? []).toSorted((a, b) => a.sequence - b.sequence)
  return [
    ...world.charges.flatMap(({ uuid, state, history }) => {
      const statuses = history.filter(status => CHARGE_STATUSES.has(status))
      const last = CHARGE_STATUSES.has(charge.shows(state)) ? charge.shows(state) : null
      return announced(
        { what: `charge ${uuid}`, events: eventsOf('PAYMENT', uuid), statuses, last },
        world.shown,
      )
    }),
    ...world.transfers.flatMap(({ uuid, state, history }) => {
      const statuses = history.filter(status => TRANSFER_STATUSES.has(status))
      const last = transfer.isOver(state) ? transfer.shows(state) : null
      return announced(
        { what: `transfer ${uuid}`, events: eventsOf('TRANSFER', uuid), statuses, last },
        world.shown,
      )
    }),
    ...world.refunds.flatMap(({ uuid, state }) => {
      const last = refund.isOver(state) ? refund.shows(state) : null
      const statuses = last ? [last] : []
      return announced(
        { what: `refund ${uuid}`, events: eventsOf('REFUND', uuid), statuses, last },
        world.shown,
      )
    }),
    ...world.meds.flatMap(({ uuid, state, history }) => {
      // A reply is no decision, so nobody is told that it is being analysed.
      const statuses = history.filter(status => status !== med.shows('analysing'))
      const last = med.isOver(state) ? med.shows(state) : null
      return announced(
        { what: `dispute ${uuid}`, events: eventsOf('MED', uuid), statuses, last },
        world.shown,
      )
    }),
    ...world.movements
      .filter(one => one.status === 'SETTLED' && one.type.startsWith('EXTERNAL'))
      .flatMap(({ uuid }) =>
        announced(
          {
            what: `movement ${uuid}`,
            events: eventsOf('PIX_TRANSACTION', uuid),
            statuses: ['SETTLED'],
            last: 'SETTLED',
          },
          world.shown,
        ),
      ),
    ...delivered(world),
  ]
}

const CHARGE_STATUSES = new Set<string>(ANNOUNCED.map(charge.shows))
const TRANSFER_STATUSES = new Set<string>(
  transfer.states.filter(transfer.isOver).map(state => transfer.shows(state)),
)

type Announced = {
  what: string
  events: Event[]
  /** Each of these was announced. */
  statuses: string[]
  /** Where it stands now, if that is final. */
  last: string | null
}

function announced({ what, events, statuses, last }: Announced, shown: Map<string, Shown>): Violation[] {
  const told = events.map(event => statusOf(event))
  const never = [...new Set(statuses)].filter(status => !told.includes(status))
  const numbers = events.map(event => event.sequence)
  const inOrder = numbers.every((number, place) => number === place + 1)
  const latest = events.at(-1)
  return [
    ...never.map(status => ({ rule: 'not_announced', where: what, detail: status })),
    ...(inOrder ? [] : [{ rule: 'event_out_of_order', where: what, detail: numbers.join(' ') }]),
    ...(latest && last && statusOf(latest) !== last
      ? [{ rule: 'announced_otherwise', where: what, detail: `${statusOf(latest)}, is ${last}` }]
      : []),
    ...(latest && last ? differs(what, latest, shown.get(latest.subject)) : []),
  ]
}

function statusOf({ type, data }: Event): string {
  return type === 'REFUND' ? data.refund.status : data.status
}

/** The last event carries what GET answers, unless the resource has gone on without one. */
function differs(what: string, { type, data }: Event, shown: Shown | undefined): Violation[] {
  if (type === 'PIX_TRANSACTION') return []
  if (shown === undefined) return [{ rule: 'not_readable', where: what, detail: 'GET does not show it' }]
  const { sequence: _, late: __, ...resource } = data
  const hasGoneOn = !isDeepStrictEqual(data.history, shown.history)
  return hasGoneOn || isDeepStrictEqual(withoutTimes(resource), withoutTimes(shown))
    ? []
    : [{ rule: 'announced_differently', where: what, detail: difference(resource, shown) }]
}

/** When something was touched last says nothing about what it is, and each look makes links of its own to proofs. */
function withoutTimes(shown: Shown): Shown {
  const passing = new Set(['updated_at', 'url'])
  return JSON.parse(JSON.stringify(shown, (name, value) => (passing.has(name) ? undefined : value)))
}

function difference(told: Shown, shown: Shown): string {
  const names = [...new Set([...Object.keys(told), ...Object.keys(shown)])].filter(
    name => !isDeepStrictEqual(withoutTimes(told[name] ?? null), withoutTimes(shown[name] ?? null)),
  )
  return names
    .map(name => `${name}: ${JSON.stringify(told[name])} / ${JSON.stringify(shown[name])}`)
    .join('; ')
}

/** Every event went to every endpoint of its account, arrived, and what arrived is the event. */
function delivered({ endpoints, events, deliveries, heard }: World): Violation[] {
  const sent = new Set(deliveries.map(({ event, inbox }) => `${inbox} ${event}`))
  const forgotten = events.flatMap(event =>
    endpoints
      .filter(({ account, inbox }) => account === event.account && !sent.has(`${inbox} ${event.uuid}`))
      .map(({ inbox }) => ({ rule: 'not_sent', where: `event ${event.uuid}`, detail: `to ${inbox}` })),
  )
  const arrived = Map.groupBy(heard, message => `${message.inbox} ${message.event}`)
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
