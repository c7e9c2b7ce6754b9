import type { Attempt } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'
import type { Dependencies } from './dependencies.ts'

/** Reports the contradictions of one connection: an error in the log, and a count in the metrics of this worker. */
export function contradictionOf(
  { log, contradicted }: Pick<Dependencies, 'log' | 'contradicted'>,
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
