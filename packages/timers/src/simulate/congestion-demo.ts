/** The built-in scenario: a whale floods the lane with top bids while small actors keep their intervals and one pays nothing. */
export const CONGESTION_DEMO = JSON.stringify({
  name: 'congestion',
  blocks: 120,
  params: { maxFiresPerBlock: 6, maxFiresPerTarget: 4 },
  basefees: { cycles: 1_000, cells: 1_000 },
  actors: [
    { name: 'whale', handler: 'counter' },
    { name: 'oracle', handler: 'recorder' },
    { name: 'payroll', handler: 'counter' },
    { name: 'liquidator', handler: 'counter' },
    { name: 'charity', handler: 'counter' },
    { name: 'crowd', handler: 'counter' },
  ],
  timers: [
    { name: 'whale flood', actor: 'whale', from: 10, repeatEvery: 1, until: 60, count: 6, dueIn: 1, bid: '1' },
    {
      name: 'crowd burst',
      actor: 'crowd',
      from: 20,
      repeatEvery: 1,
      until: 40,
      count: 8,
      dueIn: 1,
      bid: '0.5',
      freshTargets: true,
    },
    { name: 'payroll interval', actor: 'payroll', from: 1, every: 4, bid: '0.1' },
    { name: 'oracle watch', actor: 'liquidator', from: 1, watch: ['oracle'], bid: '0.25' },
    { name: 'charity, no bid', actor: 'charity', from: 1, every: 3 },
  ],
  calls: [{ actor: 'oracle', from: 5, repeatEvery: 5 }],
})
