import { defineEntity } from '@mikro-orm/core'
import type { FeeTable } from '../../domain/ledger/money.ts'
import type {
  ConnectionStatus,
  ConnectionType,
  Party,
  ProviderApi,
  ProviderName,
} from '../../domain/providers/provider.ts'
import { primaryKeyColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'
import { buildPauseCondition } from './pause.ts'

type VirtualAccount = Party & { type: ConnectionType }

const providerAccount = defineEntity({
  name: 'ProviderAccount',
  properties: () => ({
    uuid: primaryKeyColumn(),
    provider: unionColumn<ProviderName>(),
    name: textColumn(),
    createdAt: timestampColumn().onCreate(() => new Date()),
  }),
})

/** Where money really sits at a provider; POOL connections of many accounts share one. */
export class ProviderAccount extends providerAccount.class {}
providerAccount.setClass(ProviderAccount)

const connection = defineEntity({
  name: 'Connection',
  properties: p => ({
    uuid: primaryKeyColumn(),
    accountUuid: uuidColumn(),
    providerAccountUuid: uuidColumn(),
    provider: unionColumn<ProviderName>(),
    dialect: unionColumn<ProviderApi>(),
    type: unionColumn<ConnectionType>(),
    status: unionColumn<ConnectionStatus>(),
    isPublic: p.boolean().default(true),
    /** Reached by test tokens only; a live token never reaches a simulator. */
    isSimulated: p.boolean(),
    baseUrl: textColumn(),
    sealedCredentials: textColumn().lazy(),
    secretKeyId: textColumn(),
    /** Hashes of what identifies the account at the provider (src/admin/account-identity.ts); null where not known. */
    providerIdentity: p.json<string[]>().nullable().lazy(),
    /** Counts the credentials that were not proved to belong to the same account as those before. */
    credentialsEpoch: p.integer().default(1),
    /** When the present epoch began, written by a trigger; null in the first. */
    credentialsSince: timestampColumn().nullable(),
    collectionKey: textColumn().nullable(),
    fees: p.json<FeeTable>(),
    virtualAccount: p.json<VirtualAccount>().nullable(),
    /** How long a sending that is not found may still arrive (SPEC §6). */
    settleWindowMs: p.integer().default(600_000),
    /** What moved at its provider account before is part of the opening balance, and credited by nothing else. */
    creditedSince: timestampColumn().nullable(),
    /** Its breaker remembers calls without an answer; most connections have nothing there. */
    isDistrusted: p
      .boolean()
      .formula(
        ({ uuid }) => `exists (select from breaker where connection_uuid = ${uuid}
          and (opened_at is not null or cardinality(failures) > 0))`,
      )
      .lazy(),
    /** Nothing that may bring money, or nothing that sends some, may begin through it now. */
    isPausedIn: p
      .boolean()
      .formula(columns => buildPauseCondition('in', columns))
      .lazy(),
    isPausedOut: p
      .boolean()
      .formula(columns => buildPauseCondition('out', columns))
      .lazy(),
    createdAt: timestampColumn().onCreate(() => new Date()),
    updatedAt: timestampColumn().onCreate(() => new Date()),
  }),
})

/** An account's access to one provider: the contract's Provider, whose uuid is a `provider_uuid`. */
export class Connection extends connection.class {}
connection.setClass(Connection)

const defaultProvider = defineEntity({
  name: 'DefaultProvider',
  properties: p => ({
    accountUuid: p.uuid().primary(),
    paymentType: unionColumn<'PIX'>().primary(),
    connection: () => p.manyToOne(Connection).primary().name('connection_uuid'),
    /** From 1 among those of its kind, simulators or real providers. */
    position: p.integer(),
  }),
})

/** One place in an account's priority list. */
export class DefaultProvider extends defaultProvider.class {}
defaultProvider.setClass(DefaultProvider)
