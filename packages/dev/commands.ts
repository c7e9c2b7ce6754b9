import type { CommandDefaults } from '../../src/cli/command-context.ts'
import type { CommandModule } from '../../src/cli/program.ts'

/** What `npm run trilho` adds to the commands of the product. Modules are loaded by the command that uses them. */

/** Commands of development, after the product's in the help. */
export const DEV_COMMANDS: readonly CommandModule[] = [
  {
    commands: { trigger: 'make an event happen: by the API, and by the payers and banks of the simulator' },
    load: async () => (await import('./trigger/trigger.ts')).registerTriggerCommand,
  },
]

/** The running `npm start` of this folder, where there is one. */
export const COMMAND_DEFAULTS: CommandDefaults = {
  readEnvironment: async () => (await import('./env/local-environment.ts')).readCommandEnvironment(),
  readApi: async () => (await import('./env/local-environment.ts')).readRunningStart(),
}
