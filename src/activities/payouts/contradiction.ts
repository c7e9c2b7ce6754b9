import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Reports the contradictions of one connection: an error in the log, and a count in the metrics of this worker. */
export function createContradictionReporter(
  { log, onContradiction: contradicted }: Pick<ActivityDependencies, 'log' | 'onContradiction'>,
  { uuid: connection, provider }: Connection,
) {
  return ({ operation, subjectUuid: subject, uuid: attempt, contradictionCode: code }: Attempt): void => {
    contradicted?.({ provider, operation })
    log.error(
      { operation, subject, attempt, connection, code },
      'a provider reports as failed what it had reported as settled',
    )
  }
}
