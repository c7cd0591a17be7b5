mod cost;
mod relay;
