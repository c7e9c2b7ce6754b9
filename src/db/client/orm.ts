import type { MigrationObject } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { PostgresDialect } from 'kysely'
import { Account } from '../entities/account.ts'
import { Attempt } from '../entities/attempt.ts'
import { Charge, Split } from '../entities/charge.ts'
import { ChargeExpiry } from '../entities/charge-expiry.ts'
import { ChargeRevision } from '../entities/charge-revision.ts'
import { StoredCodeReading } from '../entities/code-reading.ts'
import {
  Connection,
  DefaultProvider,
  ProviderAccount,
  ProviderAccountIdentity,
  ProviderAccountOpening,
} from '../entities/connection.ts'
import { DepositAssignment } from '../entities/deposit-assignment.ts'
import { DepositReturn } from '../entities/deposit-return.ts'
import { Attachment, Contest, Dispute } from '../entities/dispute.ts'
import { KeyLookup } from '../entities/key-lookup.ts'
import { Movement } from '../entities/movement.ts'
import { OperatorAction } from '../entities/operator-action.ts'
import { PasswordReset } from '../entities/password-reset.ts'
import { Pause } from '../entities/pause.ts'
import { PaymentLink } from '../entities/payment-link.ts'
import { AuthCode, PixKey } from '../entities/pix-key.ts'
import { ProviderNotification } from '../entities/provider-notification.ts'
import { QrCode } from '../entities/qr-code.ts'
import { Difference, LedgerAdjustment, StoredAccountEntry } from '../entities/reconciliation.ts'
import { Recurrence } from '../entities/recurrence.ts'
import { Refund } from '../entities/refund.ts'
import { Report, ReportSchedule } from '../entities/report.ts'
import { StoredSignInAttempt } from '../entities/sign-in-attempt.ts'
import { Token } from '../entities/token.ts'
import { Transfer } from '../entities/transfer.ts'
import { TransferBatch } from '../entities/transfer-batch.ts'
import { User } from '../entities/user.ts'
import { UserInvitation } from '../entities/user-invitation.ts'
import { UserSession } from '../entities/user-session.ts'
import { RecoveryCode, UserTotp } from '../entities/user-totp.ts'
import { CalloutSecret, Delivery, DeliveryAttempt, Event, Webhook } from '../entities/webhook.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { PipelinedPool } from '../pipeline/pool.ts'
import { parseTlsOptions } from './tls.ts'

export type Orm = MikroORM
export type { EntityManager }

/**
 * How long an idle connection stays open. A new connection starts a PostgreSQL process that must parse and plan every
 * prepared statement again, which costs as much as many operations; bursts of money find the connections of the last
 * one.
 */
const IDLE_CONNECTION_MS = 5 * 60_000

/** Grace after `statement_timeout`: a server that has not cancelled a slow statement by then is frozen. */
const STATEMENT_TIMEOUT_GRACE_MS = 500

export type OrmOptions = {
  databaseUrl: string
  /** The name that `pg_stat_activity` shows for the sessions of this process. */
  applicationName?: string
  poolSize?: number
  /** Limit of the wait for a connection in milliseconds, the wait for a place in the pool included. */
  connectMs?: number
  /** `statement_timeout` in milliseconds; null: no limit. */
  statementMs?: number | null
  /**
   * `idle_in_transaction_session_timeout` in milliseconds: PostgreSQL ends a session that idles inside a transaction for
   * this long and releases its row locks, so that a process whose host was lost or stopped holds them no longer. No
   * transaction of Trilho waits for anything but PostgreSQL.
   */
  idleInTransactionMs?: number
  /** `lock_timeout` in milliseconds; absent: only `statementMs` limits the wait. */
  lockMs?: number
  /** Creates a missing database on the first connection; otherwise a wrong name fails. */
  canCreateDatabase?: boolean
  /** Migrations of the schema; default: those of this release. */
  migrations?: MigrationObject[]
}

/** Opens the ORM, one per process; closed by `orm.close()`. Connects lazily; a frozen server becomes an error. */
export async function openOrm({
  databaseUrl,
  applicationName = 'trilho',
  poolSize = 10,
  connectMs = 3_000,
  statementMs = 10_000,
  idleInTransactionMs = 10_000,
  lockMs,
  canCreateDatabase: createsDatabase = false,
  migrations: migrationsList = MIGRATIONS,
}: OrmOptions): Promise<Orm> {
  const ssl = parseTlsOptions(databaseUrl)
  const orm: Orm = await MikroORM.init({
    clientUrl: databaseUrl,
    entities: [
      Account,
      Attachment,
      Contest,
      Attempt,
      AuthCode,
      CalloutSecret,
      Charge,
      Connection,
      DefaultProvider,
      Delivery,
      DeliveryAttempt,
      Difference,
      Event,
      DepositAssignment,
      DepositReturn,
      Dispute,
      KeyLookup,
      LedgerAdjustment,
      Movement,
      ProviderNotification,
      OperatorAction,
      Pause,
      ChargeExpiry,
      ChargeRevision,
      PaymentLink,
      PixKey,
      QrCode,
      ProviderAccount,
      ProviderAccountIdentity,
      ProviderAccountOpening,
      RecoveryCode,
      Recurrence,
      Refund,
      Report,
      ReportSchedule,
      Split,
      StoredAccountEntry,
      StoredCodeReading,
      StoredSignInAttempt,
      Token,
      Transfer,
      TransferBatch,
      User,
      UserInvitation,
      PasswordReset,
      UserSession,
      UserTotp,
      Webhook,
    ],
    ensureDatabase: createsDatabase,
    forceUtcTimezone: true,
    // Accessors for every property of every row would cost a fifth of a transaction's CPU. Bidirectional relations
    // are still kept in sync once a row is loaded.
    propagationOnPrototype: false,
    pool: { min: 0, max: poolSize, idleTimeoutMillis: IDLE_CONNECTION_MS },
    driverOptions: () => new PostgresDialect({ pool: openPool() }),
    extensions: [Migrator],
    migrations: { migrationsList, snapshot: false },
    // Errors are thrown; progress messages would only break a JSON log.
    logger: () => {},
  })
  const openPool = () =>
    new PipelinedPool(
      orm.driver.getConnection().mapOptions({
        connectionTimeoutMillis: connectMs,
        statement_timeout: statementMs ?? 0,
        // A frozen server sends no error: after this time `pg` closes the connection, which fails the pending queries.
        ...(statementMs !== null && { query_timeout: statementMs + STATEMENT_TIMEOUT_GRACE_MS }),
        idle_in_transaction_session_timeout: idleInTransactionMs,
        application_name: applicationName,
        keepAlive: true,
        ...(ssl !== undefined && { ssl }),
        ...(lockMs !== undefined && { lock_timeout: lockMs }),
      }),
    )
  return orm
}
