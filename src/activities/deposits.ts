import { tellBreaker } from '../db/breaker.ts'
import { inTransaction } from '../db/orm.ts'
import { reach } from './connections.ts'
import type { Dependencies } from './dependencies.ts'
import { type LeftToDo, leftToDo } from './left-to-do.ts'
import { setAside } from './unmatched.ts'

/** A PIX that a notice names and no charge of ours expects. */
export type Deposit = { connectionUuid: string; endToEnd: string; requestId: string; timeScale: number }
export type DepositFate =
  | (LeftToDo & { kind: 'taken' })
  | { kind: 'absent' }
  | { kind: 'no_answer'; code: string }

/** Asks the provider for the PIX and credits it to the connection's account: a deposit (SPEC §2). */
export function takeDeposit(dependencies: Dependencies) {
  return async ({ connectionUuid, endToEnd, requestId }: Deposit): Promise<DepositFate> => {
    const em = dependencies.orm.em.fork()
    const { connection, provider } = await reach(dependencies, em, connectionUuid)
    const found = await provider.findPayment(endToEnd)
    await tellBreaker(em, connection, found)
    if (found.kind === 'not_found') return { kind: 'absent' }
    if (found.kind === 'no_answer') return { kind: 'no_answer', code: found.code }
    const { payment } = found
    if (payment.status === 'failed') return { kind: 'absent' }
    if (payment.status === 'in_process') return { kind: 'no_answer', code: payment.status }
    return inTransaction(dependencies.orm, async tx => {
      const movement = await setAside(tx, { connection, payment, reason: 'deposit', requestId })
      return { kind: 'taken', ...(await leftToDo(tx, movement.uuid)) }
    })
  }
}
