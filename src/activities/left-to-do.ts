import { certain, type Question, question } from '../db/questions.ts'

/** What a life has left to do after a transaction: deliveries to start, unmatched money to send back. */
export type LeftToDo = { deliveries: string[]; returns: { uuid: string; connectionUuid: string }[] }
export const NOTHING_LEFT: LeftToDo = { deliveries: [], returns: [] }

type Row = { uuid: string; connection_uuid: string | null }

/**
 * To be asked where the transaction ends: read from the rows, so that an activity repeated after a crash between commit and
 * answer still says all of it; starting a delivery or a return that already runs changes nothing.
 */
export function leftToDo(lifeUuid: string): Question<LeftToDo> {
  return question(
    `select d.uuid, null::uuid as connection_uuid from event e join delivery d on d.event_uuid = e.uuid
       where e.life_uuid = ? and d.status = 'PENDING' and d.tries = 0
       union all
       select m.uuid, m.connection_uuid from event e join movement m on m.uuid = e.subject_uuid
       where e.life_uuid = ? and m.disposition = 'held'`,
    [lifeUuid, lifeUuid],
    rows => leftIn(rows as Row[]),
  )
}

function leftIn(rows: Row[]): LeftToDo {
  const left: LeftToDo = { deliveries: [], returns: [] }
  for (const { uuid, connection_uuid: connectionUuid } of rows) {
    if (connectionUuid === null) left.deliveries.push(uuid)
    else left.returns.push({ uuid, connectionUuid })
  }
  return left
}

/** The same of a life whose row counts its events: before the first of them there is nothing left, and nothing to ask. */
export function leftToDoOf(life: { uuid: string; sequence: number }): Question<LeftToDo> {
  return life.sequence > 0 ? leftToDo(life.uuid) : certain(NOTHING_LEFT)
}
