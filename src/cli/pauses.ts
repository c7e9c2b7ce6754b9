import { endPause, startPause } from '../admin/pauses.ts'
import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import { OperatorAction } from '../db/entities/operator-action.ts'
import { Pause } from '../db/entities/pause.ts'
import { PAUSE_TARGETS, type PauseTarget, type PauseTargetKind } from '../db/repositories/pauses.ts'
import { PROVIDER_NAMES } from '../domain/providers/provider.ts'
import {
  type OperatorCommand,
  parseCount,
  parseUuid,
  requireAccount,
  requireFound,
} from './command-context.ts'

export function registerPauseCommands(trilho: OperatorCommand) {
  const pause = trilho.command('pause')
  for (const kind of PAUSE_TARGETS)
    addTargetCommand(pause, kind)
      .choice(
        '--reach <reach>',
        ['money-out', 'everything'],
        'money-out: transfers, refunds and returns; everything: also charges and keys',
        'everything',
      )
      .run(async ({ em, operator }, ...args: unknown[]) => {
        const { reach } = args.at(-2) as { reach: string }
        const target = toPauseTarget(kind, args[0])
        await requireTarget(em, target)
        const pauseReach = reach === 'money-out' ? 'money_out' : 'everything'
        await startPause(em, { target, reach: pauseReach, ...operator })
      })

  pause
    .command('list')
    .description('list the pauses in effect')
    .run(async ({ em, print }) => {
      for (const one of await em.findAll(Pause, { orderBy: { createdAt: 'asc' } }))
        print({
          of: formatPauseTarget(one),
          reach: one.reach,
          reason: one.reason,
          actor: one.actor,
          since: one.createdAt,
        })
    })

  const resume = trilho.command('resume')
  for (const kind of PAUSE_TARGETS)
    addTargetCommand(resume, kind).run(async ({ em, operator }, ...args: unknown[]) => {
      const target = toPauseTarget(kind, args[0])
      if (!(await endPause(em, { target, ...operator }))) throw new Error('no such pause is in effect')
    })

  trilho
    .command('acts')
    .option('--subject <subject>', 'only the actions on this subject, as printed')
    .option('--limit <number>', 'maximum number of actions', parseCount, 100)
    .run(async ({ em, print }, { subject, limit }: { subject?: string; limit: number }) => {
      const actions = await em.find(OperatorAction, subject ? { subject } : {}, {
        orderBy: { at: 'desc', uuid: 'desc' },
        limit,
      })
      for (const { at, actor, action, subject, reason } of actions)
        print({ at, actor, action, subject, reason })
    })
}

function addTargetCommand(parent: OperatorCommand, kind: PauseTargetKind) {
  const command = parent.auditedCommand(kind)
  if (kind === 'all') return command.description('the whole service')
  return kind === 'provider'
    ? command.argument('<provider>', PROVIDER_NAMES.join(', ')).description('all connections to a provider')
    : command.argument(`<${kind}>`, `${kind} UUID`, parseUuid).description(`one ${kind}`)
}

/** Builds the target from the first argument of commander: the parsed UUID, or the name of a provider; none where everything is meant. */
function toPauseTarget(kind: PauseTargetKind, argument: unknown): PauseTarget {
  if (kind === 'all') return 'all'
  if (kind === 'provider')
    return {
      provider: requireFound(
        PROVIDER_NAMES.find(name => name === argument),
        `provider ${argument}`,
      ),
    }
  return kind === 'account' ? { accountUuid: String(argument) } : { connectionUuid: String(argument) }
}

async function requireTarget(em: EntityManager, target: PauseTarget): Promise<void> {
  if (target === 'all' || 'provider' in target) return
  if ('accountUuid' in target) await requireAccount(em, target.accountUuid)
  else
    requireFound(await em.findOne(Connection, target.connectionUuid), `connection ${target.connectionUuid}`)
}

function formatPauseTarget({ accountUuid, connectionUuid, provider }: Pause): string {
  if (provider) return `provider/${provider}`
  if (connectionUuid) return `connection/${connectionUuid}`
  return accountUuid ? `account/${accountUuid}` : 'all'
}
