import type { EntityManager } from '../client/orm.ts'
import { runInTransaction } from '../client/transaction.ts'
import type { Token } from '../entities/token.ts'
import { lockAccount } from '../locks.ts'

/**
 * Replaces the priority list of an account; simulators and real providers are numbered separately, in the order
 * given, because candidates are always of one kind. With `mode`, only that kind is replaced. Locks the account row,
 * so that concurrent replacements run one after the other.
 */
export async function replaceDefaultConnections(
  em: EntityManager,
  { accountUuid, mode }: { accountUuid: string; mode?: Token['mode'] | undefined },
  connectionUuids: string[],
): Promise<void> {
  await runInTransaction(em, async tx => {
    await lockAccount(tx, accountUuid)
    await tx.execute(
      `delete from default_provider d using connection k
       where d.account_uuid = ? and d.payment_type = 'PIX' and k.uuid = d.connection_uuid
         and (?::text is null or k.is_simulated = (? = 'test'))`,
      [accountUuid, mode ?? null, mode ?? null],
    )
    await tx.execute(
      `insert into default_provider (account_uuid, payment_type, position, connection_uuid)
       select ?, 'PIX', row_number() over (partition by k.is_simulated order by asked.place), k.uuid
       from unnest(array[?]::uuid[]) with ordinality as asked (uuid, place) join connection k on k.uuid = asked.uuid`,
      [accountUuid, connectionUuids],
    )
  })
}
