import { randomUUID } from 'node:crypto'
import type { EntityManager, Orm } from '../../../src/db/client/orm.ts'
import { type Fee, NO_FEES } from '../../../src/domain/ledger/money.ts'
import type {
  ConnectionStatus,
  ConnectionType,
  ProviderApi,
  ProviderName,
} from '../../../src/domain/providers/provider.ts'
import { TOKEN_SCOPES } from '../../../src/domain/tokens/token-scope.ts'
import { generateToken } from '../../../src/security/tokens.ts'
import { nextCreationTime } from '../../support/creation-time.ts'

export type ConnectionRow = {
  provider?: ProviderName
  dialect?: ProviderApi
  type?: ConnectionType
  collectionKey?: string
  status?: ConnectionStatus
  isPublic?: boolean
  isSimulated?: boolean
  /** An existing account at the provider: two connections may share one. */
  providerAccountUuid?: string
  createdAt?: Date
  chargeFee?: Fee
}

export type TokenRow = {
  accountUuid: string
  connectionUuid?: string
  mode?: 'live' | 'test'
  scopes?: readonly string[]
  allowedAddresses?: string[]
  expiresAt?: Date
  revokedAt?: Date
}

/** A settled movement is posted: follows `with made as (insert into movement … returning *)`. */
export const bookingSql = (bucket: 'available' | 'pending' = 'available') => `
  insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents)
  select uuid, account_uuid, provider_account_uuid, type, bucket, sign * value_cents, sign * value_cents
  from made cross join lateral (select case movement_type when 'IN' then 1 else -1 end) as direction (way)
  cross join lateral (values ('${bucket}', way), ('outside', -way)) as leg (bucket, sign)`

/** Inserts rows that a command or the dashboard would have created. */
export function createRowInserters(orm: Orm) {
  return {
    async insertAccount(status: 'ACTIVE' | 'BLOCKED' = 'ACTIVE'): Promise<string> {
      const uuid = randomUUID()
      await orm.em.execute('insert into account (uuid, name, document, status) values (?, ?, ?, ?)', [
        uuid,
        'Loja',
        '11222333000181',
        status,
      ])
      return uuid
    },

    async insertToken({
      accountUuid,
      connectionUuid,
      mode = 'test',
      scopes = TOKEN_SCOPES,
      allowedAddresses = [],
      expiresAt,
      revokedAt,
    }: TokenRow): Promise<string> {
      const { token, hash, prefix } = generateToken(mode)
      await orm.em.execute(
        `insert into token (uuid, account_uuid, connection_uuid, name, mode, scopes, allowed_addresses, prefix, hash, expires_at,
           revoked_at, created_at)
         values (?, ?, ?, 'test', ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          randomUUID(),
          accountUuid,
          connectionUuid ?? null,
          mode,
          `{${scopes}}`,
          `{${allowedAddresses}}`,
          prefix,
          hash,
          expiresAt ?? null,
          revokedAt ?? null,
          nextCreationTime(),
        ],
      )
      return token
    },

    async insertConnection(accountUuid: string, row: ConnectionRow = {}): Promise<string> {
      const uuid = randomUUID()
      const provider = row.provider ?? 'PROVIDER_A'
      const providerAccountUuid =
        row.providerAccountUuid ?? (await insertProviderAccount(orm, { ...row, provider, accountUuid }))
      await orm.em.execute(
        `insert into connection (uuid, account_uuid, provider_account_uuid, provider, dialect, type, status, is_public,
           is_simulated, base_url, sealed_credentials, secret_key_id, fees, virtual_account, created_at,
           collection_key)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'https://localhost', '', 'a', ?, ?, ?, ?)`,
        [
          uuid,
          accountUuid,
          providerAccountUuid,
          provider,
          row.dialect ?? 'efi',
          row.type ?? 'NOMINAL',
          row.status ?? 'ACTIVE',
          row.isPublic ?? true,
          row.isSimulated ?? true,
          JSON.stringify({ ...NO_FEES, ...(row.chargeFee && { charge: row.chargeFee }) }),
          row.type === 'POOL' ? null : JSON.stringify(VIRTUAL_ACCOUNT),
          row.createdAt ?? nextCreationTime(),
          row.collectionKey ?? null,
        ],
      )
      return uuid
    },

    insertProviderAccount: (row: ProviderAccountRow = {}) => insertProviderAccount(orm, row),

    /** A transfer that is not sent yet. */
    async insertTransfer(connectionUuid: string, em: EntityManager = orm.em): Promise<string> {
      const uuid = randomUUID()
      await em.execute(
        `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
           request_id, fingerprint, created_at, updated_at)
         select ?, account_uuid, uuid, provider_account_uuid, 'created', 100, 'maria@example.com', 'r', 'f', ?, now()
         from connection where uuid = ?`,
        [uuid, nextCreationTime(), connectionUuid],
      )
      return uuid
    },

    /** A charge that is about to be issued. */
    async insertCharge(connectionUuid: string, em: EntityManager = orm.em): Promise<string> {
      const uuid = randomUUID()
      await em.execute(
        `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
           payment_uuid, expires_in_seconds, request_id, fingerprint, created_at, updated_at)
         select ?, account_uuid, uuid, provider_account_uuid, 'issuing', 100, 100, ?, 3600, 'r', 'f', ?, now()
         from connection where uuid = ?`,
        [uuid, randomUUID(), nextCreationTime(), connectionUuid],
      )
      return uuid
    },

    async replaceDefaultProviders(accountUuid: string, connectionUuids: string[]): Promise<void> {
      await orm.em.execute('delete from default_provider where account_uuid = ?', [accountUuid])
      for (const [index, uuid] of connectionUuids.entries()) {
        await orm.em.execute(
          `insert into default_provider (account_uuid, payment_type, position, connection_uuid) values (?, 'PIX', ?, ?)`,
          [accountUuid, index + 1, uuid],
        )
      }
    },
  }
}

/** Its owner is the account of a NOMINAL connection; without an account it is shared. */
type ProviderAccountRow = Pick<ConnectionRow, 'provider' | 'type' | 'isSimulated'> & { accountUuid?: string }

async function insertProviderAccount(
  orm: Orm,
  { provider = 'PROVIDER_A', type = 'NOMINAL', isSimulated = true, accountUuid }: ProviderAccountRow,
): Promise<string> {
  const uuid = randomUUID()
  await orm.em.execute(
    'insert into provider_account (uuid, provider, is_simulated, name, owner_uuid) values (?, ?, ?, ?, ?)',
    [uuid, provider, isSimulated, uuid, type === 'NOMINAL' ? (accountUuid ?? null) : null],
  )
  return uuid
}

export const VIRTUAL_ACCOUNT = {
  type: 'NOMINAL',
  name: 'Loja',
  document: '11222333000181',
  account_number: '12345-6',
  account_agency: '0001',
  bank: { code: '364', name: 'EFÍ S.A. - IP', ispb: '09089356' },
  account_type: 'PAYMENT',
}
