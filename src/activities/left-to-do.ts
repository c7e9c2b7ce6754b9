import { certain, type Question, question } from '../db/questions.ts'

/** Follow-ups of a transaction: deliveries and returns whose workflows are to be started. */
export type LeftToDo = { deliveries: string[]; returns: { uuid: string; connectionUuid: string }[] }
export const NOTHING_LEFT: LeftToDo = { deliveries: [], returns: [] }

type Row = { uuid: string; connection_uuid: string | null }

/**
 * Query of the follow-ups, for the end of the transaction. It reads the rows, so that an activity that is repeated after a crash
 * between commit and answer returns them again; starting one that already runs changes nothing.
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

/** Query of the follow-ups of a row that counts its events; without an event there are none, and no statement is sent. */
export function leftToDoOf(life: { uuid: string; sequence: number }): Question<LeftToDo> {
  return life.sequence > 0 ? leftToDo(life.uuid) : certain(NOTHING_LEFT)
}
