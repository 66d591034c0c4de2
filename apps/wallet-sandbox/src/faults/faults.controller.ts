import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { type DescribedPlan, FaultInjector } from './fault-injector.js';
import { type FaultPlan, faultPlanSchema } from './fault-plan.js';

/** Switches misbehaviour on and off; no token is needed. */
@Controller('__faults')
export class FaultsController {
  constructor(private readonly faults: FaultInjector) {}

  @Get()
  get(): DescribedPlan {
    return this.faults.describe();
  }

  @Put()
  put(@Body({ schema: faultPlanSchema }) plan: FaultPlan): DescribedPlan {
    this.faults.put(plan);
    return this.faults.describe();
  }

  @Delete()
  delete(): DescribedPlan {
    this.faults.put({ seed: 0, rules: [] });
    return this.faults.describe();
  }
}
