import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Creates the reporter of one connection's contradictions: an error in the log and a count in the metrics. */
export function createContradictionReporter(
  { log, onContradiction }: Pick<ActivityDependencies, 'log' | 'onContradiction'>,
  { uuid: connection, provider }: Connection,
) {
  return ({ operation, subjectUuid: subject, uuid: attempt, contradictionCode: code }: Attempt): void => {
    onContradiction?.({ provider, operation })
    log.error(
      { operation, subject, attempt, connection, code },
      'the provider reports a settled payout as failed',
    )
  }
}
