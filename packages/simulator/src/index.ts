/** The simulator: a whole cluster, a chain and all their faults in one process, replayed from one seed. */
export { readKeptSeeds } from './kept-seeds.ts'
export { FAULTS } from './plan/faults.ts'
export { makePlan } from './plan/plan.ts'
export { runPlan } from './run/run-plan.ts'
export { serveSeeds } from './run/seed-runners.ts'
export { simulate } from './simulate.ts'
