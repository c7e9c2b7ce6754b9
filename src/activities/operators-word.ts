import { inTransaction } from '../db/orm.ts'
import type { SendOutcome } from '../domain/provider.ts'
import type { OperatorsWord } from '../workflows/messages.ts'
import type { Dependencies } from './dependencies.ts'
import { type AttemptKey, keep } from './outcomes.ts'
import type { Outgoing, Sent, Tried } from './outgoing.ts'

/** Keeps what an operator found out, where the provider has not told; its final word would stand against it. */
export function settleBy<Row extends Tried>(dependencies: Dependencies, outgoing: Outgoing<Row>) {
  return ({ word, ...key }: AttemptKey & { word: OperatorsWord }): Promise<Sent> => {
    const { log } = dependencies
    log.warn({ operation: outgoing.operation, ...key, ...word }, 'an operator settles an unknown outcome')
    return inTransaction(dependencies.orm, em => keep(em, outgoing, key, outcomeOf(word)))
  }
}

function outcomeOf(word: OperatorsWord): SendOutcome {
  if (word.as === 'rejected')
    return { kind: 'rejected', finality: 'final', code: 'settled_by_operator', message: word.reason }
  const { endToEnd } = word
  return {
    kind: 'accepted',
    sending: { status: 'settled', endToEnd, at: new Date().toISOString(), returns: [] },
  }
}
