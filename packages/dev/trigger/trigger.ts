import { Argument, Option } from 'commander'
import type { ApiContext, OperatorCommand } from '../../../src/cli/command-context.ts'
import { createSimulatorClient } from '../../simulator/control/client.ts'
import { runTrigger, TRIGGERS, type TriggerName } from './triggers.ts'

type TriggerOptions = { simulator?: string; simulatorCa?: string }

const NAMES = Object.keys(TRIGGERS) as TriggerName[]

/** Registers `trigger`, which makes an event happen in the simulator. */
export function registerTriggerCommand(program: OperatorCommand): void {
  program
    .command('trigger')
    .addArgument(new Argument('<event>', 'the event').choices(NAMES))
    .addOption(new Option('--simulator <url>', 'address of the simulator').env('TRILHO_SIMULATOR_URL'))
    .addOption(new Option('--simulator-ca <file>', 'certificate of its authority').env('TRILHO_SIMULATOR_CA'))
    .addHelpText(
      'after',
      `
Events:
${NAMES.map(name => `  ${name.padEnd(27)} ${TRIGGERS[name].description}`).join('\n')}

Only by a test token, whose operations go to simulated connections. API, token and simulator are those of the npm start
of this folder, unless options or variables name others. A TEST event: POST /webhooks/{uuid}/test.`,
    )
    .runByApi(triggerEvent)
}

async function triggerEvent(
  { api, printText }: ApiContext,
  name: TriggerName,
  options: TriggerOptions,
): Promise<void> {
  if (!api.isTest) throw new Error('trigger needs a test token (trl_test_…): it moves simulated money only')
  const { readRunningStart } = await import('../env/local-environment.ts')
  const local = await readRunningStart()
  const url = options.simulator ?? local?.simulator_url
  const caFile = options.simulatorCa ?? local?.simulatorCa
  if (url === undefined || caFile === undefined)
    throw new Error('--simulator and --simulator-ca must name the simulator: no npm start runs here')
  const simulator = createSimulatorClient(url, caFile)
  try {
    const { path, status } = await runTrigger(name, { api, simulator })
    printText(`${name}: GET /api/v1${path} is ${status}`)
  } finally {
    await simulator.close()
  }
}
