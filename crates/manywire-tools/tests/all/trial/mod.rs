mod cost;
mod page;
mod relay;
