import { IsolationLevel } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { type EntityManager, MikroORM, type PostgreSqlDriver } from '@mikro-orm/postgresql'
import { Account } from '../entities/account.ts'
import { Attempt } from '../entities/attempt.ts'
import { Charge, Split } from '../entities/charge.ts'
import { Connection, DefaultProvider, ProviderAccount } from '../entities/connection.ts'
import { Attachment, Dispute } from '../entities/med.ts'
import { Movement } from '../entities/movement.ts'
import { ProviderNotification } from '../entities/notice.ts'
import { OperatorAction } from '../entities/operator-act.ts'
import { Pause } from '../entities/pause.ts'
import { AuthCode, PixKey } from '../entities/pix-key.ts'
import { Refund } from '../entities/refund.ts'
import { Token } from '../entities/token.ts'
import { Transfer } from '../entities/transfer.ts'
import { User } from '../entities/user.ts'
import { Delivery, DeliveryAttempt, Event, Webhook } from '../entities/webhook.ts'
import { Migration001_charges } from '../migrations/Migration001_charges.ts'
import { Migration002_money_out } from '../migrations/Migration002_money_out.ts'
import { Migration003_answers } from '../migrations/Migration003_answers.ts'
import { Migration004_meds } from '../migrations/Migration004_meds.ts'
import { Migration005_pix_keys } from '../migrations/Migration005_pix_keys.ts'
import { Migration006_webhooks } from '../migrations/Migration006_webhooks.ts'
import { Migration007_operators } from '../migrations/Migration007_operators.ts'
import { Migration008_dashboard } from '../migrations/Migration008_dashboard.ts'
import { Migration009_tallies } from '../migrations/Migration009_tallies.ts'
import { Migration010_metrics } from '../migrations/Migration010_metrics.ts'
import { Migration011_med_sweep } from '../migrations/Migration011_med_sweep.ts'
import { Migration012_lists } from '../migrations/Migration012_lists.ts'
import { Migration013_reply_calls } from '../migrations/Migration013_reply_calls.ts'
import { Migration014_more_tallies } from '../migrations/Migration014_more_tallies.ts'
import { Migration015_modes } from '../migrations/Migration015_modes.ts'
import { Migration016_keys_in_use } from '../migrations/Migration016_keys_in_use.ts'
import { Migration017_fair_sweeps } from '../migrations/Migration017_fair_sweeps.ts'
import { Migration018_tested_endpoints } from '../migrations/Migration018_tested_endpoints.ts'
import { Migration019_long_ids } from '../migrations/Migration019_long_ids.ts'
import { Migration020_exact_weeks } from '../migrations/Migration020_exact_weeks.ts'
import { Migration021_foreign_ids } from '../migrations/Migration021_foreign_ids.ts'
import { Migration022_unanswered_cancellations } from '../migrations/Migration022_unanswered_cancellations.ts'
import { Migration023_money_rules } from '../migrations/Migration023_money_rules.ts'
import { Migration024_late_settlements } from '../migrations/Migration024_late_settlements.ts'
import { Migration025_late_webhooks } from '../migrations/Migration025_late_webhooks.ts'
import { Migration026_sendings } from '../migrations/Migration026_sendings.ts'
import { Migration027_written_once } from '../migrations/Migration027_written_once.ts'
import { Migration028_moving } from '../migrations/Migration028_moving.ts'
import { Migration029_durable_promises } from '../migrations/Migration029_durable_promises.ts'
import { Migration030_credentials_epoch } from '../migrations/Migration030_credentials_epoch.ts'
import { Migration031_provider_movements } from '../migrations/Migration031_provider_movements.ts'
import { Migration032_unexplained_answers } from '../migrations/Migration032_unexplained_answers.ts'
import { Migration033_lost_workflows } from '../migrations/Migration033_lost_workflows.ts'
import { Migration034_breaker_answers } from '../migrations/Migration034_breaker_answers.ts'
import { Migration035_device_sign_ins } from '../migrations/Migration035_device_sign_ins.ts'
import { PipelinedDriver } from '../pipeline/driver.ts'
import {
  applyStatementTimeout,
  closeLateConnections,
  enablePipelinedMessages,
  type PgPool,
  pipelineTransactions,
  reclaimClosedConnections,
} from '../pipeline/pool.ts'
import { MIGRATION_RETRY_POLICY, runPendingMigrations } from './migrate.ts'
import { parseTlsOptions } from './tls.ts'

export type Orm = MikroORM
export type { EntityManager }

/** Limit of the wait for a connection, the wait for a place in the pool included. */
const CONNECT_TIMEOUT_MS = 3_000

/**
 * How long an idle connection stays open. A new connection starts a PostgreSQL process that must parse and plan every
 * prepared statement again, which costs as much as many operations; bursts of money find the connections of the last
 * one.
 */
const IDLE_CONNECTION_MS = 5 * 60_000

/**
 * Grace after `statement_timeout`: PostgreSQL itself cancels a slow statement; a server that has not reported that by
 * then is frozen.
 */
const STATEMENT_TIMEOUT_GRACE_MS = 500

/**
 * PostgreSQL ends a session that idles inside a transaction for this long and releases its row locks: a process whose
 * host was lost or stopped holds them no longer. No transaction of Trilho waits for anything but PostgreSQL.
 */
const IDLE_IN_TRANSACTION_MS = 10_000

export type OrmOptions = {
  databaseUrl: string
  /** The name that `pg_stat_activity` shows for the sessions of this process. */
  applicationName?: string
  poolSize?: number
  /** `statement_timeout` in milliseconds; null: no limit. */
  statementMs?: number | null
  /** `lock_timeout` in milliseconds; absent: only `statementMs` limits the wait. */
  lockMs?: number
  /** Creates a missing database on the first connection; otherwise a wrong name fails. */
  canCreateDatabase?: boolean
}

/**
 * Opens the ORM, one per process; closed by `orm.close()`. Connects lazily. A frozen server becomes an error after
 * the timeout.
 */
export async function openOrm({
  databaseUrl,
  applicationName = 'trilho',
  poolSize = 10,
  statementMs = 10_000,
  lockMs,
  canCreateDatabase: createsDatabase = false,
}: OrmOptions): Promise<Orm> {
  const ssl = parseTlsOptions(databaseUrl)
  return MikroORM.init({
    driver: PipelinedDriver as typeof PostgreSqlDriver,
    clientUrl: databaseUrl,
    entities: [
      Account,
      Attachment,
      Attempt,
      AuthCode,
      Charge,
      Connection,
      DefaultProvider,
      Delivery,
      DeliveryAttempt,
      Event,
      Dispute,
      Movement,
      ProviderNotification,
      OperatorAction,
      Pause,
      PixKey,
      ProviderAccount,
      Refund,
      Split,
      Token,
      Transfer,
      User,
      Webhook,
    ],
    ensureDatabase: createsDatabase,
    forceUtcTimezone: true,
    // Accessors for every property of every row would cost a fifth of a transaction's CPU. Bidirectional relations
    // are still kept in sync once a row is loaded.
    propagationOnPrototype: false,
    pool: { min: 0, max: poolSize, idleTimeoutMillis: IDLE_CONNECTION_MS },
    driverOptions: {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: statementMs ?? 0,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      application_name: applicationName,
      keepAlive: true,
      ...(ssl !== undefined && { ssl }),
      ...(lockMs !== undefined && { lock_timeout: lockMs }),
      onPoolCreated(pool: PgPool) {
        enablePipelinedMessages(pool)
        if (statementMs !== null) applyStatementTimeout(pool, statementMs + STATEMENT_TIMEOUT_GRACE_MS)
        reclaimClosedConnections(pool)
        closeLateConnections(pool)
        pipelineTransactions(pool)
      },
    },
    extensions: [Migrator],
    migrations: {
      migrationsList: [
        { name: '001_charges', class: Migration001_charges },
        { name: '002_money_out', class: Migration002_money_out },
        { name: '003_answers', class: Migration003_answers },
        { name: '004_meds', class: Migration004_meds },
        { name: '005_pix_keys', class: Migration005_pix_keys },
        { name: '006_webhooks', class: Migration006_webhooks },
        { name: '007_operators', class: Migration007_operators },
        { name: '008_dashboard', class: Migration008_dashboard },
        { name: '009_tallies', class: Migration009_tallies },
        { name: '010_metrics', class: Migration010_metrics },
        { name: '011_med_sweep', class: Migration011_med_sweep },
        { name: '012_lists', class: Migration012_lists },
        { name: '013_reply_calls', class: Migration013_reply_calls },
        { name: '014_more_tallies', class: Migration014_more_tallies },
        { name: '015_modes', class: Migration015_modes },
        { name: '016_keys_in_use', class: Migration016_keys_in_use },
        { name: '017_fair_sweeps', class: Migration017_fair_sweeps },
        { name: '018_tested_endpoints', class: Migration018_tested_endpoints },
        { name: '019_long_ids', class: Migration019_long_ids },
        { name: '020_exact_weeks', class: Migration020_exact_weeks },
        { name: '021_foreign_ids', class: Migration021_foreign_ids },
        { name: '022_unanswered_cancellations', class: Migration022_unanswered_cancellations },
        { name: '023_money_rules', class: Migration023_money_rules },
        { name: '024_late_settlements', class: Migration024_late_settlements },
        { name: '025_late_webhooks', class: Migration025_late_webhooks },
        { name: '026_sendings', class: Migration026_sendings },
        { name: '027_written_once', class: Migration027_written_once },
        { name: '028_moving', class: Migration028_moving },
        { name: '029_durable_promises', class: Migration029_durable_promises },
        { name: '030_credentials_epoch', class: Migration030_credentials_epoch },
        { name: '031_provider_movements', class: Migration031_provider_movements },
        { name: '032_unexplained_answers', class: Migration032_unexplained_answers },
        Migration033_lost_workflows,
        Migration034_breaker_answers,
        Migration035_device_sign_ins,
      ],
      snapshot: false,
    },
    // Errors are thrown; progress messages would only break a JSON log.
    logger: () => {},
  })
}

/**
 * Brings the schema up to date; several processes may call it at once, while others serve. Uses connections of its
 * own without a statement timeout, because building an index over millions of rows, or waiting for the process that
 * builds it, takes longer than a request's statement may.
 */
export async function migrate(databaseUrl: string, retryPolicy = MIGRATION_RETRY_POLICY): Promise<void> {
  const orm = await openOrm({
    ...{ databaseUrl, statementMs: null, lockMs: retryPolicy.lockMs },
    canCreateDatabase: true,
  })
  try {
    await runPendingMigrations(orm, retryPolicy)
  } finally {
    await orm.close()
  }
}

/** Runs reads in one read-only REPEATABLE READ transaction, so that their results are consistent. */
export function readInSnapshot<T>(em: EntityManager, read: (em: EntityManager) => Promise<T>): Promise<T> {
  return em.fork().transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
}

/** Runs work in a new transaction with an empty unit of work, so that rows are read afresh after a lock. */
export function runInTransaction<T>(orm: Orm, work: (em: EntityManager) => Promise<T>): Promise<T> {
  return orm.em.fork().transactional(work)
}
