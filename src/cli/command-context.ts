import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Client } from '@temporalio/client'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../config.ts'
import type { EntityManager } from '../db/client/orm.ts'
import type { Account } from '../db/entities/account.ts'
import type { ActionAuthor } from '../db/repositories/audited-actions.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import { type ApiClient, type ApiOptions, type LocalApi, openApiClient } from './api-client.ts'
import type { CommandContext } from './database-context.ts'

/**
 * What the definitions of all commands share. It loads neither the database nor Temporal: their modules are imported by the
 * action that uses them, so that the help of a command needs none of them.
 */

/** Environment of the commands: their dependencies, output and secret input. */
export type CommandEnvironment = {
  withContext(work: (tools: CommandContext) => Promise<unknown>): Promise<void>
  /** Runs a client of the REST API, which needs no database and no secret key. */
  withApi(options: ApiOptions, work: (tools: ApiContext) => Promise<void>): Promise<void>
  /** Prints one JSON object as a line. */
  print(line: unknown): void
  /** Reads a secret, which must not be part of a command line. */
  readSecret(): Promise<string>
}

/** What commands work with where neither variables nor options say: a Trilho that runs on this machine. */
export type CommandDefaults = {
  /** Environment of commands that use the database, and the authority of its simulated providers. */
  readEnvironment(): Promise<{ environment: NodeJS.ProcessEnv; ca?: string }>
  readApi(): Promise<LocalApi | undefined>
}

/** Creates the environment of commands in a shell. Without `defaults`, variables and options must say everything. */
export function createShellEnvironment(defaults?: CommandDefaults): CommandEnvironment {
  return {
    async withContext(work) {
      const { withDatabaseContext } = await import('./database-context.ts')
      await withDatabaseContext(work, await defaults?.readEnvironment())
    },
    async withApi(options, work) {
      await work({
        api: openApiClient(options, await defaults?.readApi()),
        printText: line => void process.stdout.write(`${line}\n`),
      })
    },
    print: line => void process.stdout.write(`${JSON.stringify(line)}\n`),
    async readSecret() {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks).toString('utf8').trim()
    },
  }
}

/** What a command that is a client of the REST API gets. */
export type ApiContext = {
  api: ApiClient
  /** Prints a line for people: these commands are watched in a terminal. */
  printText(line: string): void
}

type ActionContext = CommandContext & Omit<CommandEnvironment, 'withContext' | 'withApi'>
/** `operator`: the author whom the act of `src/admin` records. */
export type AuditedContext = ActionContext & { operator: ActionAuthor }

/** A command whose action receives its dependencies before its arguments and options. */
export class OperatorCommand extends Command {
  private readonly environment: CommandEnvironment

  constructor(environment: CommandEnvironment, name?: string) {
    super(name)
    this.environment = environment
  }

  override createCommand(name?: string): OperatorCommand {
    return new OperatorCommand(this.environment, name)
  }

  /** Adds a command whose operator and reason are recorded permanently; a routine command has a default reason. */
  auditedCommand(name: string, { isRoutine = false } = {}): AuditedCommand {
    const command = new AuditedCommand(this.environment, name).copyInheritedSettings(this)
    const reason = new Option('--reason <reason>', 'recorded in the operator actions').argParser(parseText)
    command.option('--by <who>', 'recorded in the operator actions', parseText, readUserName())
    command.addOption(isRoutine ? reason.default('routine') : reason.makeOptionMandatory())
    this.addCommand(command)
    return command
  }

  /** Adds an option that takes one of a few values; without a default it is mandatory. */
  choice(flags: string, values: readonly string[], description?: string, defaultValue?: string): this {
    const option = new Option(flags, description).choices(values)
    return this.addOption(
      defaultValue === undefined ? option.makeOptionMandatory() : option.default(defaultValue),
    )
  }

  /** Makes the command a client of the REST API, with the options that name the API and its access token. */
  runByApi<Args extends unknown[]>(work: (context: ApiContext, ...args: Args) => Promise<void>): this {
    this.addOption(new Option('--api <url>', 'address of the API, without /api/v1').env('TRILHO_API_URL'))
    this.addOption(new Option('--token <token>', 'access token of the account').env('TRILHO_TOKEN'))
    return this.action((...args) =>
      this.environment.withApi(this.opts<ApiOptions>(), context =>
        work(context, ...(args as unknown[] as Args)),
      ),
    )
  }

  run<Args extends unknown[]>(work: (context: ActionContext, ...args: Args) => Promise<unknown>): this {
    const { withContext, withApi: _, ...io } = this.environment
    return this.action((...args) =>
      withContext(context => work({ ...context, ...io }, ...(args as unknown[] as Args))),
    )
  }
}

class AuditedCommand extends OperatorCommand {
  override run<Args extends unknown[]>(
    work: (context: AuditedContext, ...args: Args) => Promise<unknown>,
  ): this {
    return super.run((context, ...args: Args) => {
      const { by: actor, reason } = this.opts<{ by: string; reason: string }>()
      return work({ ...context, operator: { actor, reason } }, ...args)
    })
  }
}

/** Runs work with a Temporal client, for commands that start or signal workflows. */
export async function withWorkflowClient(
  { temporal, timeScale }: Config,
  work: (temporal: TemporalContext, client: Client) => Promise<void>,
): Promise<void> {
  const [{ Client, Connection }, { connectToTemporal }] = await Promise.all([
    import('@temporalio/client'),
    import('../temporal/connection.ts'),
  ])
  const connection = await connectToTemporal(temporal, options => Connection.connect(options))
  const client = new Client({ connection, namespace: temporal.namespace })
  try {
    await work({ client: async () => client, taskQueue: temporal.taskQueue, timeScale }, client)
  } finally {
    await connection.close()
  }
}

/** Returns the name of the system user, or its uid where a container has no name for it. */
export function readUserName(ask: () => { username: string } = userInfo): string {
  try {
    return ask().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

/** Creates the parser of an argument; `message` describes what it must be. */
function createParser<T>(pattern: RegExp, message: string, convert: (text: string) => T) {
  return (value: string): T => {
    if (!pattern.test(value)) throw new InvalidArgumentError(message)
    return convert(value)
  }
}

const UUID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export const parseUuid = createParser(UUID_PATTERN, 'Not a uuid.', text => text.toLowerCase())
export const parseText = createParser(/\S/, 'It is empty.', String)
export const parseCount = createParser(/^[1-9]\d{0,5}$/, 'Not a whole number from 1 to 999999.', Number)
/** Parses the number of sends of an attempt: 0 where no sending of it is stored. */
export const parseSendCount = createParser(/^\d{1,6}$/, 'Not a whole number from 0 to 999999.', Number)
/** Parses reais to centavos. */
export const parseReais = createParser(
  /^\d{1,9}(\.\d{1,2})?$/,
  'Not an amount in reais with at most two decimals.',
  text => Math.round(Number(text) * 100),
)
export const parseHours = createParser(
  /^(?=.*[1-9])\d{1,5}(\.\d+)?$/,
  'Not a positive number of hours.',
  Number,
)

/** Parses an https URL: credentials are sent to it. */
export function parseHttpsUrl(value: string): string {
  if (!URL.canParse(value) || new URL(value).protocol !== 'https:')
    throw new InvalidArgumentError('Not an https address.')
  return value
}

/** Parses a time in ISO 8601 on an existing day; `Date` alone accepts 31 February as 3 March. */
export function parseInstant(value: string): Date {
  const at = new Date(value)
  const [day] = /^\d{4}-\d\d-\d\d/.exec(value) ?? []
  if (!day || Number.isNaN(at.getTime()) || !new Date(day).toJSON().startsWith(day))
    throw new InvalidArgumentError('Not a date and time in ISO 8601.')
  return at
}

const createInstantParser = (side: 'past' | 'future') => (value: string) => {
  const at = parseInstant(value)
  const isFuture = at.getTime() > Date.now()
  if (isFuture !== (side === 'future')) throw new InvalidArgumentError(`It must be in the ${side}.`)
  return at
}

export const parsePastInstant = createInstantParser('past')
export const parseFutureInstant = createInstantParser('future')

export function requireOption<T>(value: T | undefined, option: string): T {
  if (value === undefined) throw new Error(`${option} is required`)
  return value
}

/** Returns what was found, or throws an error for the operator where nothing was. */
export function requireFound<T>(found: T | null | undefined, what: string): T {
  if (found == null) throw new Error(`there is no ${what}`)
  return found
}

export async function requireAccount(em: EntityManager, uuid: string): Promise<Account> {
  const { Account } = await import('../db/entities/account.ts')
  return requireFound(await em.findOne(Account, uuid), `account ${uuid}`)
}

export async function readJsonFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    // The message of the parser quotes the file, which is secret.
    throw new Error(error instanceof SyntaxError ? `${file} is not JSON` : `${file} cannot be read`)
  }
}
