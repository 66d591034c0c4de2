import type { Club } from '../../house/programs-text.js';

export interface Purchase {
  readonly purchaseId: string;
  readonly minor: number;
  state: 'bought' | 'returned' | 'voided';
}

/** A customer as the shop knows her: what has been emitted about her so far. */
export interface Customer {
  readonly club: Club;
  readonly memberId: string;
  readonly purchases: Purchase[];
  hasOptedOut: boolean;
}

/** Customers and purchases that are remembered; older ones do no more shopping. */
const customersMax = 400;
const purchasesPerCustomerMax = 20;

/** The customers who have enrolled. Bounded, so that traffic may go on for ever. */
export class Shop {
  private readonly enrolled: Customer[] = [];

  get customers(): readonly Customer[] {
    return this.enrolled;
  }

  enrol(customer: Customer): void {
    this.enrolled.push(customer);
    if (this.enrolled.length > customersMax) this.enrolled.shift();
  }

  buy(customer: Customer, purchase: Purchase): void {
    customer.purchases.push(purchase);
    if (customer.purchases.length > purchasesPerCustomerMax) customer.purchases.shift();
  }

  /** Purchases that can still be returned or voided, with their customers. */
  standingPurchases(): readonly { readonly customer: Customer; readonly purchase: Purchase }[] {
    return this.enrolled.flatMap((customer) =>
      customer.purchases.filter(({ state }) => state === 'bought').map((purchase) => ({ customer, purchase })),
    );
  }
}
