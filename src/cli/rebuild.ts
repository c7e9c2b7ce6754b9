import { rebuildWorkflows } from '../disaster-recovery/rebuild.ts'
import { type OperatorCommand, parsePastInstant, withWorkflowClient } from './command-context.ts'

export function registerRebuildCommands(trilho: OperatorCommand) {
  trilho
    .auditedCommand('rebuild')
    .requiredOption('--since <moment>', 'time of the restored data, or earlier; ISO 8601', parsePastInstant)
    .run(({ em, config, print, operator }, { since }: { since: Date }) =>
      withWorkflowClient(config, async temporal => {
        const counts: Record<string, number> = { rebuilt: 0, under_way: 0, impossible: 0 }
        for await (const rebuilt of rebuildWorkflows(temporal, em, { since, ...operator })) {
          print(rebuilt)
          counts[rebuilt.outcome] = (counts[rebuilt.outcome] ?? 0) + 1
        }
        print(counts)
        if (counts.impossible) process.exitCode = 1
      }),
    )
}
