import type { ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { selectRows } from '../pipeline/query.ts'
import { formatTextArray } from '../sql-conditions.ts'

/** The last reading of a provider's balance, in centavos, and how many differences are open at its provider account. */
export type ProviderReconciliation = {
  connectionUuid: string
  provider: ProviderName
  check: {
    providerCents: number
    ledgerCents: number
    movingCents: number
    checkedAt: Date
    differsSince: Date | null
  } | null
  openDifferences: number
}

type ReconciliationRow = {
  uuid: string
  provider: ProviderName
  provider_cents: string
  ledger_cents: string
  moving_cents: string
  checked_at: Date | null
  differs_since: Date | null
  open: number
}

/** Reads what the reconciliation has found at the provider accounts of connections, by the uuids of these. */
export async function readProviderReconciliations(
  em: EntityManager,
  connectionUuids: string[],
): Promise<Map<string, ProviderReconciliation>> {
  const rows = await selectRows<ReconciliationRow>(
    em,
    `select c.uuid, c.provider, b.provider_cents, b.ledger_cents, b.moving_cents, b.checked_at, b.differs_since,
       (select count(*)::int from difference d where d.provider_account_uuid = c.provider_account_uuid
          and d.settled_at is null and d.closed_at is null) as open
     from connection c left join balance_check b using (provider_account_uuid) where c.uuid = any(?::uuid[])`,
    [formatTextArray(connectionUuids)],
  )
  return new Map(
    rows.map(row => [
      row.uuid,
      {
        connectionUuid: row.uuid,
        provider: row.provider,
        openDifferences: row.open,
        check: row.checked_at && {
          providerCents: Number(row.provider_cents),
          ledgerCents: Number(row.ledger_cents),
          movingCents: Number(row.moving_cents),
          checkedAt: new Date(row.checked_at),
          differsSince: row.differs_since && new Date(row.differs_since),
        },
      },
    ]),
  )
}
