import { type Act, recordAct } from '../db/acts.ts'
import type { EntityManager } from '../db/orm.ts'

/** `subject` may only be known once it is done. */
export type Deed<T> = Omit<Act, 'subject'> & {
  subject: string | ((done: T) => string)
  work: (em: EntityManager) => Promise<T>
}

/** Does something and writes down who did it and why, both or neither. */
export function acting<T>(em: EntityManager, { subject, work, ...act }: Deed<T>): Promise<T> {
  return em.transactional(async tx => {
    const done = await work(tx)
    await recordAct(tx, { ...act, subject: typeof subject === 'string' ? subject : subject(done) })
    return done
  })
}
