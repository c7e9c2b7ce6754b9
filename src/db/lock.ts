import { LockMode } from '@mikro-orm/core'

/**
 * A row locked alone. What it refers to is read by a later statement: it is seen as of the moment the lock was given, and
 * a connection or account is not locked with it, which every new row that names one would wait for.
 */
export const ALONE = { lockMode: LockMode.PESSIMISTIC_WRITE } as const
