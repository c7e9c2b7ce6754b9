import type { LedgerLineType, LedgerOperationType } from '../../domain/ledger/movement.ts'
import { OPERATION_CODES, OPERATION_TYPE_SQL } from '../ledger/operation-types.ts'
import { formatTextArray, isOfMode, type OptionalSqlCondition, type SqlCondition } from '../sql-conditions.ts'

/** An account's lines: at the provider account of one connection, or at all; of one mode, or of both. */
export type LedgerScope = { accountUuid: string; connectionUuid: string | null; modeScope?: 'live' | 'test' }

export type LedgerLineFilter = {
  days: DayRange | undefined
  types?: readonly LedgerLineType[] | undefined
  operationTypes?: readonly LedgerOperationType[] | undefined
  operationUuid?: string | undefined
  endToEnd?: string | undefined
}

/** From the first moment up to the last one, exclusive. */
export type DayRange = { $gte?: Date; $lt?: Date }

/** Upper limit of a transaction's duration. */
export const MAX_TRANSACTION_OVERLAP = `interval '1 day'`

/** Builds the conditions of an account's lines in a scope that pass a filter. */
export function buildLineConditions(
  scope: LedgerScope,
  { days, types, operationTypes, operationUuid, endToEnd }: LedgerLineFilter,
): OptionalSqlCondition[] {
  return [
    ["bucket = 'available'"],
    ...buildScopeConditions(scope, 'provider_account_uuid'),
    ...buildDayConditions(scope, days),
    types && ['type = any(?::text[])', formatTextArray(types)],
    operationUuid !== undefined && isOfOperation(operationUuid),
    endToEnd !== undefined && isOfPix(scope, endToEnd),
    operationTypes && hasAnyOperationType(operationTypes),
  ]
}

/**
 * Builds the conditions of which each line of a filter of operations fulfils one: the operation when it was posted, by
 * which an index finds lines. Those of charges, most of all lines, are found in the order of their numbers.
 */
export function buildLineAlternatives({ operationTypes = [] }: LedgerLineFilter): SqlCondition[] {
  if (operationTypes.includes('CHARGE')) return []
  return [...new Set(operationTypes)].map(type => ({
    sql: `operation = '${OPERATION_CODES[type]}'`,
    values: [],
  }))
}

/** Columns of a movement that may name its operation, each with an index. */
const OPERATION_COLUMNS = ['uuid', 'charge_uuid', 'transfer_uuid', 'refund_uuid', 'dispute_uuid']

function isOfOperation(uuid: string): OptionalSqlCondition {
  const movements = OPERATION_COLUMNS.map(column => `select uuid from movement where ${column} = ?`)
  return [`movement_uuid in (${movements.join(' union ')})`, ...OPERATION_COLUMNS.map(() => uuid)]
}

/** The movements that have an end-to-end id at the provider accounts of an account: at most one in each direction. */
export const PIX_UUIDS_SQL = `select uuid from movement
  where provider_account_uuid in (select provider_account_uuid from balance where account_uuid = ?)
    and movement_type in ('IN', 'OUT') and end_to_end = ?`

function isOfPix({ accountUuid }: LedgerScope, endToEnd: string): OptionalSqlCondition {
  return [`movement_uuid in (${PIX_UUIDS_SQL})`, accountUuid, endToEnd]
}

/** Only a deposit may belong to another operation later than when it was posted, a charge: its movement names it. */
function hasAnyOperationType(types: readonly LedgerOperationType[]): OptionalSqlCondition {
  const { DEPOSIT } = OPERATION_CODES
  const codes = types.map(type => OPERATION_CODES[type]).filter(code => code !== DEPOSIT)
  const isPosted = `operation = any('{${codes.join(',')}}'::"char"[])`
  if (!types.includes('DEPOSIT') && !types.includes('CHARGE')) return [isPosted]
  return [
    `${isPosted} or operation = '${DEPOSIT}' and exists (
       select from movement m where m.uuid = posting.movement_uuid and ${OPERATION_TYPE_SQL} = any(?::text[]))`,
    formatTextArray(types),
  ]
}

/** Builds the conditions of account, mode and provider account; `column` holds the provider account. */
export function buildScopeConditions(
  { accountUuid, connectionUuid, modeScope }: LedgerScope,
  column: 'provider_account_uuid' | 'connection_uuid',
): OptionalSqlCondition[] {
  return [
    ['account_uuid = ?', accountUuid],
    modeScope &&
      isOfMode(column, 'provider_account_uuid', { accountUuid, isSimulated: modeScope === 'test' }),
    connectionUuid !== null && [
      `${column} = (select k.provider_account_uuid from connection k where k.uuid = ? and k.account_uuid = ?)`,
      connectionUuid,
      accountUuid,
    ],
  ]
}

/**
 * Builds the date conditions. Lines are ordered by number, which is the order of time except for overlapping
 * transactions. PostgreSQL therefore scans only between the numbers possible at the limits of the days, not from
 * today on.
 */
function buildDayConditions(
  { accountUuid }: LedgerScope,
  { $gte, $lt }: DayRange = {},
): OptionalSqlCondition[] {
  return [
    $gte && ['created_at >= ?', $gte],
    $gte && [FIRST_NUMBER_SQL, accountUuid, $gte, accountUuid, $gte],
    $lt && ['created_at < ?', $lt],
    $lt && [LAST_NUMBER_SQL, accountUuid, $lt, accountUuid, $lt],
  ]
}

const ACCOUNT_LINES_SQL = `from posting where account_uuid = ? and bucket = 'available' and created_at`

/**
 * The number is not below that of any line within a transaction's duration after the first one of the days. (`+ 0` keeps
 * the planner from searching this limit, and the next, in the order of numbers, from the first line on.)
 */
const FIRST_NUMBER_SQL = `id >= (select min(id + 0) ${ACCOUNT_LINES_SQL} >= ?
  and created_at < (select min(created_at) ${ACCOUNT_LINES_SQL} >= ?) + ${MAX_TRANSACTION_OVERLAP})`

/** The number is not above that of any line within a transaction's duration before the last one of the days. */
const LAST_NUMBER_SQL = `id <= (select max(id + 0) ${ACCOUNT_LINES_SQL} < ?
  and created_at > (select max(created_at) ${ACCOUNT_LINES_SQL} < ?) - ${MAX_TRANSACTION_OVERLAP})`
