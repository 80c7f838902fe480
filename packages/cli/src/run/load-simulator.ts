/** Finds the simulator, which only a clone of the repository has: it contains stand-ins that no installation should. */

/** What the command uses of it. Not its types: they would bring the sources of the tests into this package. */
export interface Simulator {
  readonly FAULTS: Readonly<Record<string, string>>
  readKeptSeeds(): readonly unknown[]
  simulate(
    options: {
      readonly seed: number
      readonly seeds: number
      readonly steps: number
      readonly minutes: number | null
      readonly faults: readonly string[] | null
      readonly trace: boolean
      readonly kept: readonly unknown[]
      readonly workers: number
    },
    print: (line: string) => void,
  ): Promise<{ readonly failed: object | null; readonly summary: object; readonly tookMs: number }>
}

class MissingSimulator extends Error {
  override readonly name = 'MissingSimulator'
}

const NAME: string = '@drover/simulator'

export async function loadSimulator(): Promise<Simulator> {
  try {
    return (await import(NAME)) as Simulator
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new MissingSimulator('drover simulate runs only in a clone of the repository: npm run drover -- simulate')
  }
}
