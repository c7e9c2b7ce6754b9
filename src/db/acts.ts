import { randomUUID } from 'node:crypto'
import { OperatorAct } from './entities/operator-act.ts'
import type { EntityManager } from './orm.ts'

/** An act that must not be without a trace. `who` is an operator's e-mail or the user of the command line. */
export type Act = { who: string; act: string; subject: string; reason: string }

/** Writes down what an operator does, in the transaction that does it where there is one, else before it is done. */
export async function recordAct(em: EntityManager, { who, act, subject, reason }: Act): Promise<void> {
  em.create(OperatorAct, { uuid: randomUUID(), who, act, subject, reason })
  await em.flush()
}
