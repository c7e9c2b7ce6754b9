import { type Orm, type OrmOptions, openOrm } from '../../src/db/client/orm.ts'

/** Limits of a suite's own access to a database that is not about outages. */
const PATIENT_LIMITS = { connectMs: 30_000, statementMs: 30_000, idleInTransactionMs: 60_000 }

/** The ORM of a suite: time that a busy machine stands still is not an outage of its database. Closed by `orm.close()`. */
export function openTestOrm(options: OrmOptions): Promise<Orm> {
  return openOrm({ ...PATIENT_LIMITS, ...options })
}
