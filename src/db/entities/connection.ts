import { defineEntity, p } from '@mikro-orm/core'
import type { FeeTable } from '../../domain/ledger/money.ts'
import type { Party } from '../../domain/pix/party.ts'
import type {
  ConnectionStatus,
  ConnectionType,
  ProviderApi,
  ProviderName,
} from '../../domain/providers/provider.ts'
import { centsColumn, createdAtColumn, timestampColumn, unionColumn } from './columns.ts'
import { buildPauseCondition, type MoneyDirection } from './pause.ts'

type VirtualAccount = Party & { type: ConnectionType }

const providerAccount = defineEntity({
  name: 'ProviderAccount',
  properties: p => ({
    uuid: p.uuid().primary(),
    provider: unionColumn<ProviderName>(),
    /** Held apart from the real ones: no money of a simulator is available for real, whatever the name. */
    isSimulated: p.boolean(),
    name: p.text(),
    /** The account in whose name it is; null where it is the service's own, which POOL connections share. */
    ownerUuid: p.uuid().nullable(),
    /** When its statement was last compared with the ledger; null where it never was. */
    comparedAt: timestampColumn().nullable().lazy(),
    /** Last time its provider answered with the list of its disputes, to the minute. */
    disputesListedAt: timestampColumn().nullable().lazy(),
    createdAt: createdAtColumn(),
  }),
})

/** An account at a provider that holds the money; POOL connections of many accounts share one. */
export class ProviderAccount extends providerAccount.class {}
providerAccount.setClass(ProviderAccount)

const providerAccountOpening = defineEntity({
  name: 'ProviderAccountOpening',
  properties: p => ({
    providerAccountUuid: p.uuid().primary(),
    /** What moved before is part of the opening balance. */
    certainUntil: timestampColumn(),
    /** What moved from then on is not. */
    creditedSince: timestampColumn(),
    /** What the statement listed when the balance was read, by `openingNameOf`: part of the balance too. */
    listed: p.array(),
  }),
})

/** What the opening balance of a provider account was read with. */
export class ProviderAccountOpening extends providerAccountOpening.class {}
providerAccountOpening.setClass(ProviderAccountOpening)

const providerAccountIdentity = defineEntity({
  name: 'ProviderAccountIdentity',
  properties: p => ({
    dialect: unionColumn<ProviderApi>().primary(),
    hash: p.text().primary(),
    providerAccountUuid: p.uuid(),
  }),
})

/** What identifies a provider account at its bank, hashed: of one provider account only. */
export class ProviderAccountIdentity extends providerAccountIdentity.class {}
providerAccountIdentity.setClass(ProviderAccountIdentity)

const pausedColumn = (direction: MoneyDirection) =>
  p
    .boolean()
    .formula(columns => buildPauseCondition(direction, columns))
    .lazy()

const connection = defineEntity({
  name: 'Connection',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    providerAccountUuid: p.uuid(),
    provider: unionColumn<ProviderName>(),
    dialect: unionColumn<ProviderApi>(),
    type: unionColumn<ConnectionType>(),
    status: unionColumn<ConnectionStatus>(),
    isPublic: p.boolean().default(true),
    /** Only test tokens reach it; a live token never reaches a simulator. */
    isSimulated: p.boolean(),
    baseUrl: p.text(),
    sealedCredentials: p.text().lazy(),
    secretKeyId: p.text(),
    /** Hashes that identify the account at the provider (src/admin/provider-account.ts); null if unknown. */
    providerIdentity: p.json<string[]>().nullable().lazy(),
    /** Counts changes of credentials that were not proved to belong to the same provider account. */
    credentialsEpoch: p.integer().default(1),
    /** Start of the current epoch, set by a trigger; null in the first. */
    credentialsSince: timestampColumn().nullable(),
    collectionKey: p.text().nullable(),
    fees: p.json<FeeTable>(),
    /** The most that one transfer through it may send; null where no limit is known. */
    maxTransferCents: centsColumn().nullable(),
    virtualAccount: p.json<VirtualAccount>().nullable(),
    /** URL of another system that registering ours has replaced at the provider. */
    sealedReplacedUrl: p.text().nullable().lazy(),
    /** How long a sending that the provider does not find may still arrive, in milliseconds (SPEC §6). */
    settleWindowMs: p.integer().default(600_000),
    /** Earlier movements at its provider account are in the opening balance and are not credited again. */
    creditedSince: timestampColumn().nullable(),
    /** Its circuit breaker has recorded calls without a useful answer; most connections have no such row. */
    isDistrusted: p
      .boolean()
      .formula(
        ({ uuid }) => `exists (select from circuit_breaker where connection_uuid = ${uuid}
          and (opened_at is not null or cardinality(failures) + failed_charges + failed_payouts > 0))`,
      )
      .lazy(),
    /** A pause stops new operations of this direction through the connection. */
    isPausedIn: pausedColumn('in'),
    isPausedOut: pausedColumn('out'),
    createdAt: createdAtColumn(),
    updatedAt: timestampColumn().onCreate(() => new Date()),
  }),
})

/** An account's access to one provider. The API calls it Provider, and its uuid `provider_uuid`. */
export class Connection extends connection.class {}
connection.setClass(Connection)

const defaultProvider = defineEntity({
  name: 'DefaultProvider',
  properties: p => ({
    accountUuid: p.uuid().primary(),
    paymentType: unionColumn<'PIX'>().primary(),
    connection: () => p.manyToOne(Connection).primary(),
    /** From 1, among simulators or among real providers. */
    position: p.integer(),
  }),
})

/** One position of an account's priority list. */
export class DefaultProvider extends defaultProvider.class {}
defaultProvider.setClass(DefaultProvider)
